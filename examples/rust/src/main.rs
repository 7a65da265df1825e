//! examples/rotate.cc through the C interface: channels 1 2 3 4 at position 1.
use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};

/// The parts of ropewalk.h that this program uses.
mod ropewalk {
    use super::{c_char, c_int, c_void};

    #[repr(C)]
    pub struct Tensor {
        pub data: *mut c_void,
        pub device_type: i32, // 1: the CPU
        pub device_id: i32,
        pub ndim: i32,
        pub code: u8, // 2: float
        pub bits: u8,
        pub lanes: u16,
        pub shape: *const i64,
        pub strides: *const i64, // null: compact
        pub byte_offset: u64,
    }

    #[repr(C)]
    pub struct Positions {
        pub ids: *const Tensor,
        pub first: i64,
        pub count: i64,
    }

    #[repr(C)]
    pub struct RopeOptions {
        pub struct_size: usize,
        pub head_dim: i64,
        pub rotary_dim: i64,
        pub pairing: i32, // 1: half_split
        pub base: f64,
        pub scaling: *const c_char,
        pub max_positions: i64,
        pub seq_len: i64,
    }

    #[repr(C)]
    pub struct RotateOptions {
        pub struct_size: usize,
        pub layout: i32, // 1: [batch, seq, heads, head_dim]
        pub direction: i32,
        pub threads: i32,
        pub q_out: *const Tensor,
        pub k_out: *const Tensor,
    }

    #[repr(C)]
    pub struct Rope {
        _private: [u8; 0],
    }

    extern "C" {
        pub fn ropewalk_last_error() -> *const c_char;
        pub fn ropewalk_make_rope(options: *const RopeOptions, rope: *mut *mut Rope) -> c_int;
        pub fn ropewalk_free_rope(rope: *mut Rope);
        pub fn ropewalk_rotate(
            rope: *const Rope,
            positions: *const Positions,
            q: *const Tensor,
            k: *const Tensor,
            options: *const RotateOptions,
        ) -> c_int;
    }
}

use ropewalk::*;

fn check(status: c_int) -> Result<(), String> {
    if status == 0 {
        return Ok(());
    }
    let message = unsafe { CStr::from_ptr(ropewalk_last_error()) };
    Err(message.to_string_lossy().into_owned())
}

/// Frees the handle when it goes out of scope.
struct OwnedRope(*mut Rope);

impl Drop for OwnedRope {
    fn drop(&mut self) {
        unsafe { ropewalk_free_rope(self.0) }
    }
}

fn half_split(head_dim: i64) -> Result<OwnedRope, String> {
    let options = RopeOptions {
        struct_size: std::mem::size_of::<RopeOptions>(),
        head_dim,
        rotary_dim: 0,
        pairing: 1,
        base: 10000.0,
        scaling: null(),
        max_positions: 0,
        seq_len: 0,
    };
    let mut rope = null_mut();
    check(unsafe { ropewalk_make_rope(&options, &mut rope) })?;
    Ok(OwnedRope(rope))
}

/// Turns one head of one token in place.
fn rotate(rope: &OwnedRope, position: i64, head: &mut [f32]) -> Result<(), String> {
    let shape = [1, 1, 1, head.len() as i64];
    let q = Tensor {
        data: head.as_mut_ptr().cast(),
        device_type: 1,
        device_id: 0,
        ndim: 4,
        code: 2,
        bits: 32,
        lanes: 1,
        shape: shape.as_ptr(),
        strides: null(),
        byte_offset: 0,
    };
    let positions = Positions { ids: null(), first: position, count: 1 };
    let how = RotateOptions {
        struct_size: std::mem::size_of::<RotateOptions>(),
        layout: 1,
        direction: 0,
        threads: 0,
        q_out: null(),
        k_out: null(),
    };
    check(unsafe { ropewalk_rotate(rope.0, &positions, &q, null(), &how) })
}

fn main() -> Result<(), String> {
    let mut q = [1.0, 2.0, 3.0, 4.0];
    rotate(&half_split(4)?, 1, &mut q)?;
    println!("{:.6} {:.6} {:.6} {:.6}", q[0], q[1], q[2], q[3]);
    if let Err(message) = half_split(5) {
        println!("{message}");
    }
    Ok(())
}
