//! What the page provides: a place to report to, and the wish to stop.

use serde_json::Value;

#[cfg(target_family = "wasm")]
mod page {
    use wasm_bindgen::prelude::wasm_bindgen;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_name = tengenReport)]
        pub fn report(text: &str);
        #[wasm_bindgen(js_name = tengenStops)]
        pub fn stops() -> bool;
    }
}

/// Outside a page nobody listens.
#[cfg(not(target_family = "wasm"))]
mod page {
    pub fn report(_text: &str) {}
    pub fn stops() -> bool {
        false
    }
}

/// Sends what a running question has found so far.
pub fn report(what: &Value) {
    page::report(&what.to_string());
}

/// Whether the running question shall stop.
pub fn stops() -> bool {
    page::stops()
}

/// Reports a panic, which ends the module, as `{"panic": "..."}`.
pub fn report_panics() {
    #[cfg(target_family = "wasm")]
    std::panic::set_hook(Box::new(|panic| report(&serde_json::json!({ "panic": panic.to_string() }))));
}
