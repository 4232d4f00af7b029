import { find, focusedIn, h, letGo, onEscape, refocus, replaceWhen } from "../dom.js";
import { t } from "../i18n.js";
import { steady } from "../logic/steady.js";
import { icon } from "./icon.js";
import { titleEditor } from "./title-editor.js";
import { announce, toast } from "./toast.js";

/** @typedef {"discard" | "edit"} Doing */
/** @typedef {NonNullable<Wire.AudioClip["pending"]>} Pending */

/** @type {Record<Pending["state"], string>} */
const CHIPS = { waiting: "chip-waiting", posting: "chip-sending", paused: "chip-paused", refused: "chip-declined" };

/**
 * The words for a clip that waits to be posted.
 *
 * @param {Pending} pending
 */
export function pendingWords({ state, percent }) {
  if (state === "posting") return percent === null ? t("outbox.sending") : t("outbox.sending.percent", { percent });
  return t(`audio.pending.${state}`);
}

/**
 * The state and its reason, to be read out.
 *
 * @param {Wire.AudioClip} clip
 * @param {Pending} pending
 */
export const pendingNews = ({ title }, pending) => `${title}: ${[pendingWords(pending), pending.text].filter(Boolean).join(". ")}`;

/**
 * A clip that waits to be posted, as its row tells it: a chip with its state, how far it is, why it waits or was refused, and what its
 * user can do.
 *
 * @param {{
 *   retry: (id: string) => void,
 *   edit: (id: string, title: string) => Promise<boolean>,
 *   discard: (id: string) => Promise<boolean>,
 * }} deeds
 */
export function pendingClip(deeds) {
  const chip = h("span", { class: "chip", hidden: true, "data-test": "pending" });
  const meter = h("div", { class: "meter", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100", hidden: true, "data-test": "pending-progress" },
    h("span", { class: "meter-part" }));
  const reason = h("p", { class: "clip-reason", "data-test": "pending-reason" });
  const actions = h("div", { class: "outbox-actions" });
  const part = h("div", { class: "clip-pending", hidden: true }, meter, reason, actions);
  /** @type {Wire.AudioClip | null} */
  let shown = null;
  /** @type {Doing | null} */
  let doing = null;
  /**
   * What is drawn when the user has asked for another try.
   *
   * @type {Pending | null}
   */
  let asked = null;
  let isSaving = false;

  /** @param {Doing} what */
  const begin = (what) => {
    doing = what;
    letGo(actions);
    redraw();
    const focused = find(actions, what === "edit" ? "[data-test=edit-field]" : "[data-test=discard-cancel]");
    focused?.focus();
    if (focused instanceof HTMLInputElement) focused.select();
    // The buttons, too, and not below what stands at the foot of the screen.
    actions.scrollIntoView({ block: "nearest" });
  };
  /** @param {Doing} what */
  const close = (what) => {
    doing = null;
    letGo(actions);
    redraw();
    find(actions, `[data-test=${what}]`)?.focus();
  };
  const redraw = () => shown && draw(shown);

  const drawn = steady(
    (/** @type {Wire.AudioClip} */ clip) => draw(clip),
    (before, clip) => {
      const [old, pending] = [before.pending, clip.pending];
      if (!old || !pending) return null;
      const isBeginning = pending.state === "posting" && !pending.percent;
      const isTry = old.state === "waiting" && old.text !== null && isBeginning;
      return isTry || (old === asked && (isBeginning || pending.state === "waiting")) ? { ...clip, pending: old } : null;
    });

  /** It is posted or discarded: who was changing its title is told why the form is gone. */
  const gone = () => {
    if (doing === "edit" && !isSaving && shown) toast(`${shown.title}: ${t("outbox.gone")}`);
  };

  /**
   * @param {string} id
   * @param {string} title
   */
  const save = async (id, title) => {
    isSaving = true;
    const isDone = await deeds.edit(id, title);
    isSaving = false;
    return isDone;
  };

  /** @param {Wire.AudioClip} clip */
  const retry = (clip) => {
    if (!clip.pending) return;
    asked = { ...clip.pending, state: "posting", percent: null, text: null };
    deeds.retry(clip.id);
    announce(pendingNews(clip, asked));
    drawn.ask({ ...clip, pending: asked });
  };

  /** @param {Wire.AudioClip} clip */
  const draw = (clip) => {
    const { pending } = clip;
    // A user who sees nothing hears that nothing has come of it.
    if (asked && pending?.state === "waiting") announce(pendingNews(clip, pending));
    if (asked !== pending) asked = null;
    shown = clip;
    chip.hidden = part.hidden = !pending;
    if (!pending) {
      gone();
      doing = null;
      return replaceWhen(actions, "", () => []);
    }
    chip.className = `chip ${CHIPS[pending.state]}`;
    replaceWhen(chip, pendingWords(pending), () => pendingWords(pending));
    const { percent } = pending;
    meter.hidden = pending.state !== "posting";
    meter.setAttribute("aria-label", t("outbox.progress", { title: clip.title }));
    meter.classList.toggle("is-waiting", percent === null);
    if (percent === null) meter.removeAttribute("aria-valuenow");
    else meter.setAttribute("aria-valuenow", String(percent));
    meter.style.setProperty("--part", `${percent ?? 0}%`);
    reason.classList.toggle("is-refusal", pending.state === "refused");
    replaceWhen(reason, `${pending.state} ${pending.text ?? ""}`, () => pending.text && [pending.state === "refused" && icon("alert"), h("span", {}, pending.text)]);
    reason.hidden = !pending.text;
    drawActions(clip, pending);
  };

  /**
   * @param {Wire.AudioClip} clip
   * @param {Pending} pending
   */
  const drawActions = (clip, pending) => {
    const { id, title } = clip;
    const { state, canEdit, canRetry } = pending;
    const focused = focusedIn(actions);
    /**
     * @param {"retry" | Doing} test
     * @param {import("./icon.js").Glyph} glyph
     * @param {string} name
     * @param {string} words
     * @param {() => void} run
     */
    const button = (test, glyph, name, words, run, more = "button-quiet") => h("button", { class: `button ${more}`.trim(), type: "button", "data-test": test,
      "aria-label": name, onclick: run }, icon(glyph), words);
    // A question and a form stay the same while the clip's state changes.
    replaceWhen(actions, JSON.stringify(doing === "edit" ? [doing] : doing ? [doing, title, canEdit] : [state, canEdit, canRetry, title]), () => {
      if (doing === "edit") return titleEditor({ id: `clip-title-${id}`, title, save: (words) => save(id, words), close: () => close("edit") });
      if (doing === "discard") {
        // One that was tried may be posted already.
        const question = t(canEdit ? "audio.pending.discard.ask" : "outbox.discard.ask");
        return h("div", { class: "card-question", role: "group", "aria-label": question, onkeydown: onEscape(() => close("discard")) },
          h("span", { class: "card-question-text" }, question),
          h("button", { class: "button", type: "button", "data-test": "discard-cancel", onclick: () => close("discard") }, t("outbox.keep")),
          h("button", { class: "button button-danger", type: "button", "aria-label": t("outbox.discard.confirm", { title }), "data-test": "discard-confirm", onclick: () => discard(id) }, t("outbox.discard")));
      }
      return [
        canRetry && button("retry", "reload", t("outbox.retry.name", { title }), t("outbox.retry"), () => shown && retry(shown)),
        canEdit && button("edit", "edit", t("outbox.edit.name", { title }), t("outbox.edit"), () => begin("edit")),
        button("discard", "trash", t("outbox.discard.name", { title }), t("outbox.discard"), () => begin("discard"), "button-quiet outbox-discard")];
    });
    if (doing !== "edit") refocus(actions, focused);
  };

  /** @param {string} id */
  const discard = async (id) => {
    doing = null;
    if (!(await deeds.discard(id))) redraw();
  };


  return { chip, part, draw: drawn.next, gone };
}
