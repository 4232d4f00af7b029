import { h, keyed, setText } from "../dom.js";
import { t } from "../i18n.js";
import { harmless } from "../logic/harmless.js";

/**
 * The names of the files as the server has them now, on demand, compared with the list above.
 *
 * @param {{ onAsk: () => void, onDismiss: () => void, onClose: () => void }} options `onClose` gives the focus back
 */
export function driveObjects({ onAsk, onDismiss, onClose }) {
  /** @type {Wire.ObjectNames["phase"]} */
  let phase = "idle";
  const close = h("button", { class: "button button-quiet", type: "button", hidden: true, "data-test": "objects-dismiss", onclick: () => {
    onClose();
    onDismiss();
  } });
  const words = h("p", { class: "field-hint", role: "status", "data-test": "objects-text" });
  const error = h("p", { class: "field-error", role: "alert", hidden: true, "data-test": "objects-error" });
  const list = h("ul", { class: "drive-objects-names", hidden: true, "data-test": "objects-names" });
  const element = h("section", { class: "drive-section drive-objects", hidden: true, "data-test": "objects" }, words, error, list, close);

  /** @param {Wire.ObjectNames | null | undefined} state */
  const draw = (state) => {
    const names = state?.names ?? [];
    const missing = state?.missing ?? [];
    phase = state?.phase ?? "idle";
    element.hidden = phase === "idle";
    setText(words, phase === "loading" ? t("drive.objects.loading")
      : phase === "loaded" ? [t("drive.objects.count", { count: names.length }),
        missing.length > 0 ? t("drive.objects.missing", { names: missing.map(harmless).join(", ") })
          : names.every((name) => name.isShown) ? t("drive.objects.same") : ""].filter(Boolean).join(" ") : "");
    setText(error, phase === "failed" ? `${t("drive.objects.failed")} ${state?.error ?? ""}` : "");
    error.hidden = phase !== "failed";
    list.hidden = names.length === 0;
    keyed(list, names, (name) => name.name, () => {
      const text = h("bdi", {});
      const note = h("span", { class: "field-hint", "data-test": "objects-new" });
      const row = h("li", { "data-test": "objects-name" }, text, " ", note);
      /** @param {Wire.ObjectNamesName} name */
      const draw = (name) => {
        setText(text, harmless(name.name));
        setText(note, name.isShown ? "" : t("drive.objects.new"));
        note.hidden = name.isShown;
      };
      return Object.assign(row, { draw });
    }, (row, name) => row.draw(name));
    setText(close, t("drive.objects.close"));
    close.hidden = phase !== "loaded" && phase !== "failed";
  };
  return Object.assign(element, { draw, ask: () => phase !== "loading" && onAsk() });
}
