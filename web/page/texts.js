// What the page says, in the language that was chosen.

import { EN } from "./en.js";
import { ZH } from "./zh.js";

/** The texts by the code of their language. */
const LANGUAGES = { en: EN, zh: ZH };
let language = "en";

/** The codes of the languages, and their own names. */
export const LANGUAGE_NAMES = Object.entries(LANGUAGES).map(([code, texts]) => [code, texts["language.name"]]);

/** Chooses a language; an unknown one is English. */
export function setLanguage(code) {
  language = code in LANGUAGES ? code : "en";
  document.documentElement.lang = language;
}

/** The code of the language in use. */
export function languageInUse() {
  return language;
}

/** A text by its key, with `{name}` replaced by values. */
export function t(key, values = {}) {
  const text = LANGUAGES[language][key] ?? EN[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}
