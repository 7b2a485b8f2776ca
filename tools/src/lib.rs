//! The dialect and the passes as a plug-in: `mlir-opt --load-dialect-plugin=libzpu.so --load-pass-plugin=libzpu.so`.

zpu_ir::export_plugin!(zpu_passes::install);
