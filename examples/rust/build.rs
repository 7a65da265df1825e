// Where pkg-config finds libropewalk_c.
use std::process::Command;

fn main() {
    let found = Command::new("pkg-config").args(["--variable=libdir", "ropewalk_c"]).output();
    let folder = match found {
        Ok(output) if output.status.success() => String::from_utf8(output.stdout).unwrap(),
        _ => panic!("pkg-config does not find ropewalk_c: set PKG_CONFIG_PATH"),
    };
    println!("cargo:rustc-link-search=native={}", folder.trim());
    println!("cargo:rustc-link-lib=dylib=ropewalk_c");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.trim());
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
}
