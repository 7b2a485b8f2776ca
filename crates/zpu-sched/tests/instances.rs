//! Textbook instances with known answers: every scheduler runs over each file of `instances/`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use zpu_sched::{Kind, Options, Scheduler, TimedSolutionError, read_instance, timed_solution, verify, write_instance};

#[test]
fn schedulers_reach_the_known_optima() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/instances");
    let optima = fs::read_to_string(folder.join("optimum.txt")).unwrap();
    let mut listed = BTreeSet::new();
    for line in optima.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let mut word = || words.next().unwrap();
        let (name, optimum, reached_by) = (word(), word().parse::<u64>().unwrap(), word());
        listed.insert(name.to_owned());
        let text = fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        let instance = read_instance(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(instance.problem.name, name);
        assert_eq!(read_instance(&write_instance(&instance)).unwrap(), instance, "{name}");
        let reaching = Scheduler::ALL.iter().position(|s| s.name() == reached_by);
        for (index, scheduler) in Scheduler::ALL.into_iter().enumerate() {
            let what = format!("{name} by {}", scheduler.name());
            let found = match timed_solution(&instance, scheduler, &Options::default()) {
                Ok(found) => found,
                Err(TimedSolutionError::NotFound { .. }) if reaching.is_some_and(|reaching| index < reaching) => {
                    continue;
                }
                Err(error) => panic!("{what}: {error}"),
            };
            assert_eq!(verify(&instance.problem, &found.schedule), Ok(()), "{what}");
            assert!(found.measure.interval >= optimum, "{what}: better than possible");
            assert!(found.lower_bound <= optimum, "{what}: a bound above the optimum");
            assert!(!found.proven || found.measure.interval == optimum, "{what}");
            if reaching.is_some_and(|reaching| index >= reaching) {
                assert_eq!(found.measure.interval, optimum, "{what}");
            }
            let bounds = &found.bounds;
            let least = match instance.problem.kind {
                Kind::Cyclic => bounds.interval(),
                Kind::Acyclic => bounds.makespan(),
            };
            assert!(found.lower_bound >= least, "{what}");
        }
    }
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let names: BTreeSet<String> = files
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, listed, "optimum.txt lists every instance");
}
