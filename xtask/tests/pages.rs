//! The pages hang together: every link to a file leads to one, and every page of the book is in its table of contents.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .expect("the workspace has a folder")
}

/// All `.md` files below `folder`.
fn pages(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.insert(path);
        }
    }
}

/// The files that `page` links to, outside of code blocks; links to the web and within the page are left out.
fn links(page: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(page).expect("a readable page");
    let prose: String = text.split("```").step_by(2).collect();
    let folder = page.parent().expect("a page lies in a folder");
    prose
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next())
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .map(|target| folder.join(target))
        .collect()
}

#[test]
fn links_lead_to_files() {
    let root = root();
    let mut all = BTreeSet::new();
    pages(&root.join("docs"), &mut all);
    all.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root.join(name)));
    let broken: Vec<String> = all
        .iter()
        .flat_map(|page| links(page).into_iter().map(move |target| (page, target)))
        .filter(|(_, target)| !target.exists())
        .map(|(page, target)| format!("{} -> {}", page.display(), target.display()))
        .collect();
    assert!(broken.is_empty(), "links to nothing:\n{}", broken.join("\n"));
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let docs = root().join("docs");
    let mut all = BTreeSet::new();
    pages(&docs, &mut all);
    let contents = docs.join("SUMMARY.md");
    let listed: BTreeSet<PathBuf> = links(&contents).into_iter().collect();
    all.remove(&contents);
    let absent: Vec<_> = all.difference(&listed).collect();
    assert!(absent.is_empty(), "not in SUMMARY.md: {absent:?}");
}
