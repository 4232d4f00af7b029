/** The values that this browser keeps, and whether they tell of its user. A value more is a line here. */
const NAMES = /** @type {const} */ ({
  theme: "browser", language: "browser", shortcut: "browser", rate: "browser",
  token: "user", author: "user", palette: "user", lacking: "user", shapes: "user",
});

/** True once the user was forgotten: what is still under way in this page must not write anything of that user again. */
let isForgotten = false;

/**
 * Runs what needs storage. Storage that is switched off is no error: a value then lasts as long as the page.
 *
 * @template Result
 * @param {() => Result} run
 */
function tried(run) {
  try {
    return run();
  } catch {
    return null;
  }
}

/** Remembers values on this machine. */
export const memory = {
  /** @param {keyof typeof NAMES} name */
  get: (name) => tried(() => localStorage.getItem(`aquifer.${name}`)),

  /** @param {keyof typeof NAMES} name @param {string} value */
  set(name, value) {
    if (name === "token" || NAMES[name] === "browser" || !isForgotten) tried(() => localStorage.setItem(`aquifer.${name}`, value));
  },

  /** Forgets everything of the user but the token, which says whether there is another one. The page is to be loaded again. */
  forgetUser() {
    for (const [name, owner] of Object.entries(NAMES)) if (owner === "user" && name !== "token") tried(() => localStorage.removeItem(`aquifer.${name}`));
    tabMemory.forget();
  },
};

/** Remembers values of this tab, which all tell of its user. They last until it is closed. */
export const tabMemory = {
  /** @param {string} name */
  get: (name) => tried(() => sessionStorage.getItem(`aquifer.${name}`)),

  /** @param {string} name @param {string | null} value null removes it */
  set(name, value) {
    if (isForgotten) return;
    tried(() => (value === null ? sessionStorage.removeItem(`aquifer.${name}`) : sessionStorage.setItem(`aquifer.${name}`, value)));
  },

  /** Forgets everything, and keeps nothing of this user any more. */
  forget() {
    isForgotten = true;
    tried(() => sessionStorage.clear());
  },
};
