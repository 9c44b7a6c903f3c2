//! Records how the core is built, for `cleverdon --version`: nothing that names a machine or a folder.

use std::env::var;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=Cargo.toml");
    let set = |name: &str, value: &str| println!("cargo::rustc-env=CORE_{name}={value}");
    set("TARGET", &var("TARGET").unwrap_or_default());
    set("PROFILE", &profile());
    set("OPT_LEVEL", &var("OPT_LEVEL").unwrap_or_default());
    set("FEATURES", &var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default());
    set("RUSTC", &rustc());
    set("ABI", abi());
}

/// The name of cargo's profile. `PROFILE` would say `release` for every profile that is based on it, but
/// the build's folder is `TARGET_FOLDER/PROFILE/build/PACKAGE/out`.
fn profile() -> String {
    let out = var("OUT_DIR").unwrap_or_default();
    let name = Path::new(&out).ancestors().nth(3).and_then(Path::file_name);
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The version of the compiler without its commit, as in `1.95.0`.
fn rustc() -> String {
    let compiler = var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let told = Command::new(compiler).arg("--version").output().map(|done| done.stdout).unwrap_or_default();
    String::from_utf8_lossy(&told).split_whitespace().nth(1).unwrap_or_default().to_string()
}

/// The Python interface that Cargo.toml asks PyO3 for, as in `abi3-py311`.
fn abi() -> &'static str {
    let quoted = include_str!("Cargo.toml").split('"');
    quoted.into_iter().find(|text| text.starts_with("abi3-py")).unwrap_or_default()
}
