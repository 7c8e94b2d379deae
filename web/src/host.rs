//! What the page provides: a place to report to, and the wish to stop.

use serde_json::Value;

#[cfg(target_family = "wasm")]
mod page {
    use wasm_bindgen::prelude::wasm_bindgen;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_name = tengenReport)]
        pub fn report(text: &str);
        #[wasm_bindgen(js_name = tengenIsDue)]
        pub fn is_due() -> bool;
        #[wasm_bindgen(js_name = tengenLook)]
        pub fn look() -> bool;
    }
}

/// Outside a page nobody listens.
#[cfg(not(target_family = "wasm"))]
mod page {
    pub fn report(_text: &str) {}
    pub fn is_due() -> bool {
        false
    }
    pub fn look() -> bool {
        false
    }
}

/// Sends what a running question has found so far.
pub fn report(what: &Value) {
    page::report(&what.to_string());
}

/// Whether the running question shall stop. A look may let the worker take in a message, which takes longer than to ask whether
/// a look is due.
pub fn stops() -> bool {
    page::is_due() && page::look()
}

/// Reports a panic, which ends the module, as `{"panic": "..."}`.
pub fn report_panics() {
    #[cfg(target_family = "wasm")]
    std::panic::set_hook(Box::new(|panic| report(&serde_json::json!({ "panic": panic.to_string() }))));
}
