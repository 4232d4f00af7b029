import { ApiError, address, upload } from "../api.js";
import { backButton } from "../components/back-button.js";
import { driveFile } from "../components/drive-file.js";
import { driveManage } from "../components/drive-manage.js";
import { driveObjects } from "../components/drive-objects.js";
import { DrivePreview } from "../components/drive-preview.js";
import { driveUpload, outcomes, uploadVerdict } from "../components/drive-upload.js";
import { FileDrop } from "../components/file-drop.js";
import { icon } from "../components/icon.js";
import { menu } from "../components/menu.js";
import { PullToRefresh } from "../components/pull.js";
import { errorBanner, failed, message, notice } from "../components/states.js";
import { announce, toast } from "../components/toast.js";
import { usage } from "../components/usage.js";
import { drawOnce, find, h, keyed, rowOf, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { known } from "../logic/files.js";
import { harmless } from "../logic/harmless.js";
import { ModelScreen } from "../screen.js";

/** @typedef {Partial<Wire.DriveAccountState>} State */

/** The most bytes of a file. */
const LARGEST = 2 ** 30;
/** The most files that are added at once: `DriveAccountScreen.mostFiles`. */
const MOST = 200;
/** The statuses that concern a whole batch: nobody is logged in, there is no such account, it is busy, or the files are another replica's. */
const WHOLE = [401, 404, 409, 421];
const PATH = "/api/screens/drive-account";

/**
 * One storage account: its files, and all that can be done with it.
 *
 * @extends {ModelScreen<"drive-account">}
 */
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
    onDismiss: () => this.#dismissOutcomes(),
    onReplace: () => this.#answer(true),
    onKeep: () => this.#answer(false),
  });
  #replacer = h("input", { type: "file", hidden: true, "data-test": "replace-input", onchange: () => this.#picked() });
  #filesTitle = h("h2", { class: "drive-heading", tabindex: "-1" });
  #list = h("ul", { class: "drive-files", "data-test": "files" });
  #files = h("section", { class: "drive-section", hidden: true }, this.#filesTitle, this.#list);
  #menu = menu("account-menu");
  #objects = driveObjects({ onAsk: () => this.send("objects"), onDismiss: () => this.send("dismissObjects"), onClose: () => this.#menu.giveFocus() });
  #manage = driveManage({ send: this.send.bind(this), isSettled: () => this.isSettled, dismiss: () => this.dismiss(), onClose: () => this.#menu.giveFocus() });
  #preview = new DrivePreview();
  #instead = h("div", {});
  #pull;
  /**
   * The upload from the browser to the server on this machine.
   *
   * @type {import("../components/drive-upload.js").Handing | null}
   */
  #handing = null;
  /** @type {AbortController | null} */
  #controller = null;
  /** @type {import("../components/drive-upload.js").Offer | null} */
  #offered = null;
  /**
   * Files that were chosen or dropped while something else was under way: their turn comes after it.
   *
   * @type {File[]}
   */
  #waiting = [];
  /**
   * The names of files that were handed over, until the server's state tells of them: it takes no others before.
   *
   * @type {Set<string> | null}
   */
  #starting = null;
  /**
   * The names of the file that another one replaces, and of the file that asks whether it should go.
   *
   * @type {string | null}
   */
  #replacing = null;
  /** @type {string | null} */
  #asking = null;
  /** @type {string | null} */
  #problem = null;
  /**
   * The files of the last batch that the server on this machine did not get.
   *
   * @type {Wire.DriveAccountOutcome[]}
   */
  #refused = [];
  #dropping;
  element = h("section", { class: "screen drive-account-screen", "data-test": "screen-drive-account" },
    h("header", { class: "screen-bar" }, this.#back, this.#title, this.#badge, this.#gone, this.#menu), this.#alert, this.#notice, this.#summary,
    this.#upload, this.#replacer, this.#files, this.#instead, this.#objects, this.#manage);

  /**
   * @param {import("../shell.js").Shell} shell
   * @param {string} account
   */
  constructor(shell, account) {
    super("drive-account", { account });
    this.#account = account;
    this.shell = shell;
    this.#pull = new PullToRefresh(() => shell.isFront(this), () => this.reload(), () => Boolean(this.state?.isLoading));
    this.#dropping = new FileDrop(this.element, {
      takes: () => mayUpload(this.state ?? {}), mark: (isOver) => this.#upload.mark(isOver), drop: (files) => this.#offer(files),
    });
    this.#redraw();
  }

  get title() {
    return harmless(this.state?.name ?? t("nav.drive"));
  }

  show() {
    super.show();
    this.#dropping.start();
  }

  hide() {
    super.hide();
    this.#dropping.stop();
    this.#preview.close();
    this.#controller?.abort();
    this.#asking = null;
    this.#waiting = [];
    this.shell.busy(this, false);
  }

  get isWorking() {
    return this.#handing !== null || this.#offered !== null || this.#waiting.length > 0;
  }

  dismiss() {
    if (!this.state?.error && !this.state?.problem && !this.#problem) return false;
    this.#problem = null;
    this.send("dismissError");
    this.#redraw();
    return true;
  }

  #redraw() {
    this.#draw(this.state ?? { isLoading: true, files: [] });
  }

  /**
   * @param {Wire.DriveAccountState} state
   * @param {Wire.DriveAccountState | null} [before]
   */
  render(state, before) {
    // What was stored before the page was loaded stands in the list, and is no news.
    if (!before && this.isFirstLook && state.upload?.isDone && state.upload.stored === state.upload.files) {
      state.upload = null;
      this.send("dismissUpload");
    }
    this.#noticeStart();
    this.#draw(state);
    if (before?.name !== state.name) this.shell.titleChanged();
    if (before && before !== state) this.#tell(before, state);
    if (before?.isLoading && !state.isLoading) this.#pull.done();
    this.#offerWaiting();
  }

  settled() {
    this.#manage.answered();
  }

  /** @param {State} state */
  #draw(state) {
    const isThere = Boolean(state.name);
    const named = { ...state, name: harmless(state.name ?? t("drive.account")) };
    setText(this.#title, named.name);
    drawOnce(this.#badge, () => [icon("lock"), t("drive.immutable")]);
    this.#badge.hidden = !state.isImmutable;
    setText(this.#gone, t("drive.deleting"));
    this.#gone.hidden = !state.isToBeDeleted;
    this.shell.busy(this, Boolean(state.isLoading) && !state.isMissing);
    // One failure is told once: beside what was pressed, or by the page that stands instead of the files.
    const isFailed = !isThere && state.phase === "failed" && !state.isLoading;
    const failed = state.problem && !this.#manage.tells(state) ? state.failed : null;
    const atFile = failed && state.files?.some(({ name }) => name === failed.file) ? failed.file : null;
    const atUpload = failed?.kind === "uploading" && mayUpload(state);
    const trouble = (failed && atFile === null && !atUpload ? state.problem : null) ?? (isFailed ? null : state.error?.message);
    replaceWhen(this.#alert, `${trouble}`, () => errorBanner(trouble, () => this.dismiss()));
    replaceWhen(this.#notice, state.notice ?? "", () => notice(state.notice ?? null));
    this.#summary.hidden = !isThere;
    if (isThere) this.#usage.draw({ label: t("drive.usage", named), text: `${state.usageText} · ${t("drive.free", state)}`, percent: state.percent ?? 0 });
    setText(this.#address, state.address ?? "");
    this.#upload.hidden = !isThere;
    this.#upload.draw({ state, handing: this.#handing, offered: this.#offered, refused: this.#handing || this.#starting ? [] : this.#refused, problem: this.#problem ?? (atUpload ? state.problem ?? null : null), mayUpload: mayUpload(state), mayReplace: mayChange(state) });
    const hadFocus = this.#list.contains(document.activeElement);
    setText(this.#filesTitle, t("drive.files", { count: state.files?.length ?? 0 }));
    keyed(this.#list, state.files ?? [], (file) => file.name, () => this.#makeRow(), (row, file) => row.draw(file, {
      mayChange: mayChange(state), isAsking: this.#asking === file.name,
      isBusy: Boolean(state.action), doing: state.action?.file === file.name ? state.action.kind : null, problem: atFile === file.name ? state.problem ?? "" : "" }));
    this.#files.hidden = !state.files?.length;
    if (hadFocus && !this.#list.contains(document.activeElement)) {
      if (this.#files.hidden) this.#upload.focusPick();
      else this.#filesTitle.focus({ preventScroll: true, focusVisible: false });
    }
    this.#objects.draw(isThere ? state.objects : null);
    this.#manage.hidden = !isThere || !state.isOwner;
    this.#manage.draw(state);
    this.#manage.answered();
    this.#menu.draw(t("drive.more.account"), t("drive.more"), isThere ? [{ test: "objects-ask", glyph: "list", label: t("drive.objects"), run: this.#objects.ask }, ...this.#manage.ends()] : []);
    this.#drawInstead(state, isThere);
  }

  /**
   * @param {State} state
   * @param {boolean} isThere
   */
  #drawInstead(state, isThere) {
    const what = state.isMissing ? "missing" : state.files?.length ? "list" : state.isEmpty ? (mayUpload(state) ? "list" : "empty")
      : !isThere && state.phase === "failed" && !state.isLoading ? "failed" : isThere && !state.isLoading ? "list" : "loading";
    replaceWhen(this.#instead, `${what} ${this.trouble?.message}`, () => {
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

  /**
   * Announces an operation once it is done.
   *
   * @param {Wire.DriveAccountState} before
   * @param {Wire.DriveAccountState} state
   */
  #tell(before, state) {
    if (before.action && !state.action && state.lastDone) {
      const { kind, file } = state.lastDone;
      if (kind !== "uploading") toast(t(`drive.done.${kind}`, { file: harmless(file ?? "") }));
      if (kind === "addingStorage" || kind === "reducingStorage") this.#manage.done();
    }
    if (before.action?.kind === "addingStorage" && !state.action && state.isPriceChanged) this.#manage.askAgain();
    if (state.upload?.isDone && !before.upload?.isDone) announce(uploadVerdict(outcomes(state.upload, this.#refused) ?? state.upload));
  }

  #makeRow() {
    return driveFile({
      onOpen: (file) => this.#preview.open(file),
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

  /**
   * @param {string | null} name
   * @param {string | null} from
   */
  #ask(name, from = name) {
    this.#asking = name;
    this.#redraw();
    find(rowOf(this.#list, from), name ? "[data-test=delete-cancel]" : "[data-test=file-menu]")?.focus();
  }

  // Files on their way in

  #picked() {
    const [file] = this.#replacer.files ?? [];
    const replacing = this.#replacing;
    this.#replacer.value = "";
    if (file && replacing) this.#hand([file], (batch) => this.send("replace", { batch, file: replacing, count: "1" }));
  }

  /**
   * Files that were chosen or dropped: those that are there already are asked about first.
   *
   * @param {File[]} files
   */
  #offer(files) {
    if (files.length === 0 || !this.state || !mayUpload(this.state)) return;
    if (this.#isBusy) {
      this.#waiting.push(...files);
      return;
    }
    if (files.length > MOST) {
      this.#problem = t("drive.tooMany", { count: files.length, limit: MOST });
      this.#redraw();
      return this.#upload.focusPick();
    }
    const twice = known(files, this.state.files);
    if (twice.length === 0) return this.#sendFiles(files, []);
    this.#offered = { files, twice };
    this.#redraw();
    this.#upload.focusQuestion();
  }

  /** True while files have to wait for their turn. */
  get #isBusy() {
    return Boolean(this.state?.action || this.#handing || this.#offered || this.#starting);
  }

  /** Notices that the server's state tells of the files that were handed over. */
  #noticeStart() {
    const { action, upload } = this.state ?? {};
    if (action || upload?.results.some(({ name }) => this.#starting?.has(name))) this.#starting = null;
  }

  #offerWaiting() {
    this.#noticeStart();
    if (this.#waiting.length > 0 && !this.#isBusy) this.#offer(this.#waiting.splice(0, MOST));
  }

  #dismissOutcomes() {
    this.#refused = [];
    if (this.state?.upload) this.send("dismissUpload");
    this.#redraw();
  }

  /** @param {boolean} isYes */
  #answer(isYes) {
    const offered = this.#offered;
    this.#offered = null;
    this.#redraw();
    this.#upload.focusPick();
    if (!offered) return;
    if (isYes) return this.#sendFiles(offered.files, offered.twice);
    const rest = offered.files.filter((file) => !offered.twice.includes(file));
    if (rest.length > 0) this.#sendFiles(rest, []);
    else this.#offerWaiting();
  }

  /**
   * @param {File[]} files
   * @param {File[]} agreed Those that may replace a file that is there: no other one may.
   */
  #sendFiles(files, agreed) {
    return this.#hand(files, (batch, arrived) => {
      const places = [...arrived.keys()].filter((place) => agreed.includes(arrived[place]));
      return this.send("upload", { batch, replacing: places.join(), count: String(arrived.length) });
    });
  }

  /**
   * Gives the files to the server on this machine, which keeps them until they are sent. A file that it does not take
   * is told beside the outcomes of the others, which go on.
   *
   * @param {File[]} files
   * @param {(batch: string, arrived: File[]) => Promise<boolean>} send
   */
  async #hand(files, send) {
    const controller = new AbortController();
    const batch = crypto.getRandomValues(new Uint32Array(2)).join("-");
    /** @type {File[]} */
    const arrived = [];
    let isOver = false;
    this.#problem = null;
    this.#refused = [];
    this.#controller = controller;
    try {
      const refused = await this.#handAll(files, batch, controller.signal, arrived);
      if (files.length === 1) this.#problem = refused[0]?.message ?? null;
      else this.#refused = refused;
      if (arrived.length === 0) {
        isOver = true;
        // The outcomes of an earlier batch are no part of this one's.
        if (this.state?.upload) this.send("dismissUpload");
      } else {
        isOver = await send(batch, arrived);
        this.#awaitStart(arrived);
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 421) {
        // These files are with another replica, which removes them itself.
        isOver = true;
        this.misdirected();
      }
      if (!controller.signal.aborted) this.#problem = t("drive.unread", { name: harmless(this.#handing?.name ?? "") });
    } finally {
      if (!isOver) this.send("abandon", { batch });
      this.#handing = null;
      this.#controller = null;
      this.#redraw();
      if (arrived.length === 0 && !controller.signal.aborted) this.#upload.focusPick();
      this.#offerWaiting();
    }
  }

  /**
   * @param {File[]} files
   * @param {string} batch
   * @param {AbortSignal} signal
   * @param {File[]} arrived gets the files that the server has
   * @returns {Promise<Wire.DriveAccountOutcome[]>} the others
   */
  async #handAll(files, batch, signal, arrived) {
    /** @type {Wire.DriveAccountOutcome[]} */
    const refused = [];
    for (const [done, file] of files.entries()) {
      this.#handing = { name: file.name, done, files: files.length };
      this.#redraw();
      const message = await this.#handOne(file, batch, signal);
      if (message === null) arrived.push(file);
      else refused.push({ name: file.name, isStored: false, message });
    }
    return refused;
  }

  /**
   * @param {File} file
   * @param {string} batch
   * @param {AbortSignal} signal
   * @returns {Promise<string | null>} the reason why the server does not take this file; null if it has it
   */
  async #handOne(file, batch, signal) {
    const name = harmless(file.name);
    if (file.size > LARGEST) return t("drive.tooLarge", { name });
    try {
      await upload(address(`${PATH}/file`, { account: this.#account, name: file.name, batch }), file, signal, this.replica);
      return null;
    } catch (error) {
      if (signal.aborted || !(error instanceof ApiError) || WHOLE.includes(error.status)) throw error;
      // Without an answer, the file may be gone from this device, or the connection from all files.
      if (error.status === 0 && await isReadable(file)) throw error;
      return t(error.kind === "file" ? "drive.badName" : error.kind === "quota" ? "quota.full" : "drive.unread", { name });
    }
  }

  /**
   * Waits for the state that tells of files, but not for ever.
   *
   * @param {File[]} files
   */
  #awaitStart(files) {
    const starting = this.#starting = new Set(files.map(({ name }) => name));
    setTimeout(() => {
      if (this.#starting !== starting) return;
      this.#starting = null;
      this.#redraw();
      this.#offerWaiting();
    }, 3000);
  }
}

/** @param {File} file */
const isReadable = (file) => file.slice(0, 1).arrayBuffer().then(() => true, () => false);

/**
 * True if new files can be added: an immutable account accepts them, too.
 *
 * @param {State} state
 */
const mayUpload = (state) => Boolean(state.isOwner && state.name);

/**
 * True if the account lets files be replaced and deleted. (Not during another operation.)
 *
 * @param {State} state
 */
const mayChange = (state) => mayUpload(state) && !state.isImmutable;
