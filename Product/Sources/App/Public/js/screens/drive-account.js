import { ApiError, address, upload } from "../api.js";
import { backButton } from "../components/back-button.js";
import { driveFile } from "../components/drive-file.js";
import { driveManage } from "../components/drive-manage.js";
import { driveObjects } from "../components/drive-objects.js";
import { driveUpload, uploadVerdict } from "../components/drive-upload.js";
import { FileDrop } from "../components/file-drop.js";
import { icon } from "../components/icon.js";
import { PullToRefresh } from "../components/pull.js";
import { errorBanner, failed, message, notice } from "../components/states.js";
import { announce, toast } from "../components/toast.js";
import { usage } from "../components/usage.js";
import { drawOnce, h, keyed, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { ModelScreen } from "../screen.js";

/** The most bytes of a file. */
const LARGEST = 2 ** 30;
const PATH = "/api/screens/drive-account";

/** One storage account: its files, and all that can be done with it. */
export class DriveAccountScreen extends ModelScreen {
  #account;
  #title = h("h1", { tabindex: "-1", dir: "auto", "data-test": "title" });
  #back = backButton(() => this.shell.back("/drive"));
  #badge = h("span", { class: "chip chip-locked", hidden: true, "data-test": "immutable-badge" });
  #gone = h("span", { class: "chip chip-declined", hidden: true, "data-test": "deletion-badge" });
  #alert = h("div", { role: "alert" });
  #notice = h("div", { role: "status" });
  #usage = usage("usage");
  #address = h("code", { class: "drive-address", "data-test": "address" });
  #summary = h("div", { class: "drive-summary", hidden: true, "data-test": "summary" }, this.#usage, this.#address);
  #upload = driveUpload({
    onFiles: (files) => this.#offer(files),
    onStop: () => (this.#controller ? this.#controller.abort() : this.send("cancelUpload")),
    onDismiss: () => this.send("dismissUpload"),
    onReplace: () => this.#answer(true),
    onKeep: () => this.#answer(false),
  });
  #replacer = h("input", { type: "file", hidden: true, "data-test": "replace-input", onchange: () => this.#picked() });
  #filesTitle = h("h2", { class: "drive-heading", tabindex: "-1" });
  #list = h("ul", { class: "drive-files", "data-test": "files" });
  #files = h("section", { class: "drive-section", hidden: true }, this.#filesTitle, this.#list);
  #objects = driveObjects({ onAsk: () => this.send("objects"), onDismiss: () => this.send("dismissObjects") });
  #manage = driveManage({ send: (...said) => this.send(...said), dismiss: () => this.dismiss() });
  #instead = h("div", {});
  #pull;
  /** The upload from the browser to the server on this machine: `{ name, done, files }`. */
  #handing = null;
  #controller = null;
  #offered = null;
  #replacing = null;
  #asking = null;
  #problem = null;
  #dropping;
  element = h("section", { class: "screen drive-account-screen", "data-test": "screen-drive-account" },
    h("header", { class: "screen-bar" }, this.#back, this.#title, this.#badge, this.#gone), this.#alert, this.#notice, this.#summary,
    this.#upload, this.#replacer, this.#files, this.#instead, this.#objects, this.#manage);

  constructor(shell, account) {
    super("drive-account", { account });
    this.#account = account;
    this.shell = shell;
    this.#pull = new PullToRefresh(() => shell.isFront(this), () => this.reload());
    this.#pull.settle = () => this.state?.isLoading || this.#pull.done();
    this.#dropping = new FileDrop(this.element, {
      takes: () => mayUpload(this.state ?? {}), mark: (isOver) => this.#upload.mark(isOver), drop: (files) => this.#offer(files),
    });
    this.#draw({ isLoading: true, files: [] });
  }

  get title() {
    return this.state?.name ?? t("nav.drive");
  }

  show() {
    super.show();
    this.#dropping.start();
  }

  hide() {
    super.hide();
    this.#dropping.stop();
    this.#controller?.abort();
    this.#asking = null;
    this.shell.busy(this, false);
  }

  get isWorking() {
    return this.#handing !== null;
  }

  dismiss() {
    if (!this.state?.error && !this.state?.problem && !this.#problem) return false;
    this.#problem = null;
    this.send("dismissError");
    this.#draw(this.state);
    return true;
  }

  render(state, before) {
    this.#draw(state);
    if (before?.name !== state.name) this.shell.titleChanged();
    if (before && before !== state) this.#tell(before, state);
    if (before?.isLoading && !state.isLoading) this.#pull.done();
  }

  #draw(state) {
    const isThere = Boolean(state.name);
    setText(this.#title, state.name ?? t("drive.account"));
    drawOnce(this.#badge, () => [icon("lock"), t("drive.immutable")]);
    this.#badge.hidden = !state.isImmutable;
    setText(this.#gone, t("drive.deleting"));
    this.#gone.hidden = !state.isToBeDeleted;
    this.shell.busy(this, Boolean(state.isLoading) && !state.isMissing);
    const trouble = this.#problem?.() ?? (this.#manage.tells(state) ? null : state.problem) ?? state.error?.message;
    replaceWhen(this.#alert, `${trouble}`, () => errorBanner(trouble, () => this.dismiss()));
    replaceWhen(this.#notice, state.notice ?? "", () => notice(state.notice));
    this.#summary.hidden = !isThere;
    if (isThere) this.#usage.draw({ label: t("drive.usage", state), text: `${state.usageText} · ${t("drive.free", state)}`, percent: state.percent });
    setText(this.#address, state.address ?? "");
    this.#upload.hidden = !isThere;
    this.#upload.draw({ state, handing: this.#handing, offered: this.#offered, mayUpload: mayUpload(state), mayReplace: mayChange(state) });
    const hadFocus = this.#list.contains(document.activeElement);
    setText(this.#filesTitle, t("drive.files", { count: state.files?.length ?? 0 }));
    keyed(this.#list, state.files ?? [], (file) => file.name, () => this.#makeRow(), (row, file) => row.draw(file, {
      link: file.link, mayChange: mayChange(state), isAsking: this.#asking === file.name,
      isBusy: Boolean(state.action), doing: state.action?.file === file.name ? state.action.kind : null }));
    this.#files.hidden = !state.files?.length;
    if (hadFocus && !this.#list.contains(document.activeElement)) {
      if (this.#files.hidden) this.#upload.focusPick();
      else this.#filesTitle.focus({ preventScroll: true, focusVisible: false });
    }
    this.#objects.hidden = !isThere;
    this.#objects.draw(state.objects);
    this.#manage.hidden = !isThere || !state.isOwner;
    this.#manage.draw(state);
    this.#drawInstead(state, isThere);
  }

  #drawInstead(state, isThere) {
    const what = state.isMissing ? "missing" : state.files?.length ? "list" : state.isEmpty ? (mayUpload(state) ? "list" : "empty")
      : !isThere && state.phase === "failed" && !state.isLoading ? "failed" : isThere && !state.isLoading ? "list" : "loading";
    replaceWhen(this.#instead, `${what} ${this.trouble}`, () => {
      if (what === "list") return [];
      if (what === "missing") {
        return message({ glyph: "question", title: t("drive.missing.title"), text: t("drive.missing.text"), test: "drive-missing",
          action: { title: t("drive.missing.action"), run: () => this.shell.go("/drive") } });
      }
      if (what === "empty") return message({ glyph: "file", title: t("drive.nofiles.title"), text: t("drive.nofiles.text"), test: "no-files" });
      if (what === "failed") {
        return failed({ trouble: this.trouble, title: t("drive.account.failed.title"), text: t("drive.failed.text"), test: "account-failed", run: () => this.reload() });
      }
      return [h("p", { class: "visually-hidden", role: "status" }, t("loading")),
        h("div", { class: "drive-list", "aria-hidden": "true" }, Array.from({ length: 4 }, () => h("span", { class: "shimmer drive-file-skeleton", "data-test": "skeleton" })))];
    });
  }

  /** Announces an operation once it is done. */
  #tell(before, state) {
    if (before.action && !state.action && state.lastDone) {
      const { kind, file } = state.lastDone;
      if (kind !== "uploading") toast(t(`drive.done.${kind}`, { file }));
      if (kind === "addingStorage" || kind === "reducingStorage") this.#manage.done();
    }
    if (state.upload?.isDone && !before.upload?.isDone) announce(uploadVerdict(state.upload));
  }

  #makeRow() {
    return driveFile({
      onReplace: (file) => {
        this.#replacing = file.name;
        this.#replacer.click();
      },
      onAsk: (file) => this.#ask(file.name),
      onKeep: (file) => this.#ask(null, file.name),
      onDelete: (file) => {
        this.#asking = null;
        this.send("delete", { file: file.name });
      },
    });
  }

  #ask(name, from = name) {
    this.#asking = name;
    this.#draw(this.state);
    const row = [...this.#list.children].find((child) => child.dataset.key === from);
    row?.querySelector(name ? "[data-test=delete-cancel]" : "[data-test=delete]")?.focus();
  }

  // Files on their way in

  #picked() {
    const [file] = this.#replacer.files;
    this.#replacer.value = "";
    if (file && this.#replacing) this.#hand([file], "replace", { file: this.#replacing });
  }

  /** Files that were chosen or dropped: those that are there already are asked about first. */
  #offer(files) {
    if (files.length === 0 || !mayUpload(this.state ?? {}) || this.state.action || this.#handing) return;
    const known = new Set(this.state.files.map(({ name }) => name));
    const twice = files.filter(({ name }) => known.has(name.normalize("NFC")));
    if (twice.length === 0) return this.#hand(files, "upload", { replacing: "false" });
    this.#offered = { files, twice };
    this.#draw(this.state);
    this.#upload.focusQuestion();
  }

  #answer(isYes) {
    const offered = this.#offered;
    this.#offered = null;
    this.#draw(this.state);
    this.#upload.focusPick();
    if (!offered) return;
    if (isYes) return this.#hand(offered.files, "upload", { replacing: "true" });
    const rest = offered.files.filter((file) => !offered.twice.includes(file));
    if (rest.length > 0) this.#hand(rest, "upload", { replacing: "false" });
  }

  /** Gives the files to the server on this machine, which keeps them until they are sent. */
  async #hand(files, intent, fields) {
    const tooLarge = files.find((file) => file.size > LARGEST);
    this.#problem = tooLarge ? () => t("drive.tooLarge", { name: tooLarge.name }) : null;
    if (tooLarge) return this.#draw(this.state);
    const controller = new AbortController();
    const batch = crypto.getRandomValues(new Uint32Array(2)).join("-");
    this.#controller = controller;
    try {
      for (const [done, file] of files.entries()) {
        this.#handing = { name: file.name, done, files: files.length };
        this.#draw(this.state);
        await upload(address(`${PATH}/file`, { account: this.#account, name: file.name, batch }), file, controller.signal);
      }
      await this.send(intent, { batch, ...fields });
    } catch (error) {
      if (!controller.signal.aborted) {
        const { name } = this.#handing;
        const isNameBad = error instanceof ApiError && error.kind === "file";
        this.#problem = () => t(isNameBad ? "drive.badName" : "drive.unread", { name });
      }
    } finally {
      this.#handing = null;
      this.#controller = null;
      this.#draw(this.state);
    }
  }
}

/** True if new files can be added: an immutable account accepts them, too. */
const mayUpload = (state) => Boolean(state.isOwner && state.name);
/** True if the account lets files be replaced and deleted. (Not during another operation.) */
const mayChange = (state) => mayUpload(state) && !state.isImmutable;
