import { address, request } from "../api.js";
import { find, h, replaceWhen } from "../dom.js";
import { t } from "../i18n.js";
import { become } from "../token.js";
import { toast } from "./toast.js";

/**
 * The name of the user, and the ways to log out. Nothing is drawn where the server has one user only.
 */
export function user() {
  const element = h("section", { class: "user", "data-test": "user", hidden: true });
  /** @type {string | null} */
  let name = null;
  let isAsking = false;
  const draw = () => {
    element.hidden = name === null;
    replaceWhen(element, name ?? "", () => name !== null && [
      h("p", { class: "user-name" }, t("user.name", { name })),
      h("div", { class: "user-ways" },
        h("button", { class: "button", type: "button", "data-test": "log-out", onclick: () => ask(false) }, t("user.logOut")),
        h("button", { class: "button user-everywhere", type: "button", "data-test": "log-out-everywhere", onclick: () => ask(true) }, t("user.logOut.everywhere"))),
    ]);
  };
  /** Asks once who the user is. Without an answer it is asked again the next time. */
  const load = async () => {
    if (name !== null || isAsking) return;
    isAsking = true;
    try {
      const answer = /** @type {Wire.UserAnswer} */ (await request("GET", address("/api/user")));
      name = answer.name;
    } catch {
      // The page says elsewhere that the server does not answer.
    }
    isAsking = false;
    draw();
  };
  /**
   * Nobody but the operator can let the user in again.
   *
   * @param {boolean} everywhere
   */
  const ask = (everywhere) => {
    const ways = find(element, ".user-ways");
    const stay = () => {
      question.remove();
      if (ways) ways.hidden = false;
      find(element, `[data-test=${everywhere ? "log-out-everywhere" : "log-out"}]`)?.focus({ focusVisible: false });
    };
    /** @type {HTMLElement} */
    const question = h("div", { class: "popover-question", role: "alert", "data-test": "log-out-ask" },
      h("p", { class: "popover-hint" }, t(everywhere ? "user.ask.everywhere" : "user.ask")),
      h("div", { class: "drop-buttons" },
        h("button", { class: "button button-primary", type: "button", "data-test": "log-out-stay", onclick: stay }, t("user.stay")),
        h("button", { class: "button", type: "button", "data-test": "log-out-do", onclick: () => logOut(everywhere) },
          t(everywhere ? "user.logOut.everywhere" : "user.logOut"))));
    if (ways) ways.hidden = true;
    element.append(question);
    find(question, "[data-test=log-out-stay]")?.focus({ focusVisible: false });
  };
  /** @param {boolean} everywhere */
  const logOut = async (everywhere) => {
    for (const button of element.querySelectorAll("button")) button.disabled = true;
    try {
      await request("POST", address("/api/user/logout"), { everywhere });
    } catch {
      for (const button of element.querySelectorAll("button")) button.disabled = false;
      return toast(t("user.logOut.failed"));
    }
    become("");
    name = null;
    draw();
    document.dispatchEvent(new CustomEvent("aquifer:signed-out", { detail: "loggedOut" }));
  };
  return Object.assign(element, { load });
}
