import { isRunning } from "./api.js";
import { carried, load } from "./carried.js";
import { MiniPlayer } from "./components/mini-player.js";
import { player } from "./components/player.js";
import { message } from "./components/states.js";
import { frame, h } from "./dom.js";
import { isOutdated, t } from "./i18n.js";
import { Latest, Lazy } from "./logic/lazy.js";
import { contactId } from "./logic/routes.js";
import { followLanguage } from "./other-tabs.js";
import { Router } from "./router.js";
import { Shell } from "./shell.js";

/** @typedef {import("./logic/routes.js").Route} Route */

/**
 * The apps in the navigation: an app more is a line here, its screen below, and its route.
 *
 * @type {import("./shell.js").Entry[]}
 */
const apps = [
  { name: "feed", path: "/", icon: "feed" },
  { name: "contacts", path: "/contacts", icon: "contacts" },
  { name: "foaas", path: "/foaas", icon: "phrase" },
  { name: "audio", path: "/audio", icon: "audio" },
  { name: "drive", path: "/drive", icon: "drive" },
];

/**
 * A screen whose module is loaded when it is first needed.
 *
 * @template Module
 * @param {() => Promise<Module>} load
 * @param {(module: Module, route: Route, cause: Cause) => Page} make
 */
function screen(load, make) {
  const module = new Lazy(load);
  return { module, make: (/** @type {Route} */ route, /** @type {Cause} */ cause) => make(module.value, route, cause) };
}

/**
 * A screen that is made once, and stays. Its module is loaded when it is first needed.
 *
 * @template Module, Screen
 * @param {() => Promise<Module>} load
 * @param {(module: Module) => Screen} make
 */
function kept(load, make) {
  const module = new Lazy(load);
  /** @type {Screen | null} */
  let made = null;
  return { module, get screen() { return (made ??= make(module.value)); } };
}

/**
 * The first screen of each app. A line here, and in the tables below, begins with the name of its route, and loads the module of its screen:
 * the server reads them, so that a page asks for the module at once. A route without such a line is a fault of the pages.
 */
const starts = {
  feed: kept(() => import("./screens/feed.js"), ({ FeedScreen }) => new FeedScreen(shell)),
  contacts: kept(() => import("./screens/contacts.js"), ({ ContactsScreen }) => new ContactsScreen(shell)),
  foaas: kept(() => import("./screens/foaas.js"), ({ FoaasScreen }) => new FoaasScreen(shell)),
  audio: kept(() => import("./screens/audio.js"), ({ AudioScreen }) => new AudioScreen(shell)),
  drive: kept(() => import("./screens/drive.js"), ({ DriveScreen }) => new DriveScreen(shell)),
  inspector: kept(() => import("./screens/inspector.js"), ({ InspectorScreen }) => new InspectorScreen(shell)),
};

/**
 * The feed finds its place by itself.
 *
 * @param {keyof typeof starts} name
 */
const start = (name) => Object.assign(starts[name].screen, { name, restoresScroll: name === "feed" });

/**
 * A page inside an app: `app` is the one that the navigation marks.
 *
 * @typedef {{ app: string, module: Lazy<unknown>, make: (route: Route, cause: Cause) => Page, isForgotten?: boolean }} Kind
 */

/**
 * Pages inside an app. Each is made anew, unless one comes back to it.
 *
 * @type {Partial<Record<Route["name"], Kind>>}
 */
const pages = {
  payment: { app: "contacts", ...screen(() => import("./screens/payment.js"), ({ PaymentScreen }, { id }, cause) => new PaymentScreen(shell, id, cause === "link")) },
  cards: { app: "contacts", ...screen(() => import("./screens/cards.js"), ({ CardsScreen }) => new CardsScreen(shell)) },
  cardForm: { app: "contacts", isForgotten: true, ...screen(() => import("./screens/card-form.js"), ({ CardFormScreen }, { query }) => new CardFormScreen(shell, contactId(query.get("pay")))) },
  payments: { app: "contacts", ...screen(() => import("./screens/payments.js"), ({ PaymentsScreen }) => new PaymentsScreen(shell)) },
  operations: { app: "foaas", ...screen(() => import("./screens/foaas-operations.js"), ({ FoaasOperationsScreen }) => new FoaasOperationsScreen(shell)) },
  preview: { app: "foaas", ...screen(() => import("./screens/foaas-preview.js"), ({ FoaasPreviewScreen }, { id }) => new FoaasPreviewScreen(shell, id)) },
  foaasSettings: { app: "foaas", ...screen(() => import("./screens/foaas-settings.js"), ({ FoaasSettingsScreen }) => new FoaasSettingsScreen(shell)) },
  compose: { app: "audio", ...screen(() => import("./screens/audio-compose.js"), ({ AudioComposeScreen }) => new AudioComposeScreen(shell)) },
  outbox: { app: "audio", ...screen(() => import("./screens/outbox.js"), ({ OutboxScreen }) => new OutboxScreen(shell)) },
  driveCreate: { app: "drive", ...screen(() => import("./screens/drive-create.js"), ({ DriveCreateScreen }) => new DriveCreateScreen(shell)) },
  driveAccount: { app: "drive", ...screen(() => import("./screens/drive-account.js"), ({ DriveAccountScreen }, { id }) => new DriveAccountScreen(shell, id)) },
};

/**
 * A window that lies over the feed. Its module is loaded when it is first needed.
 *
 * @template Module
 * @param {() => Promise<Module>} load
 * @param {(module: Module, id: string) => void} show
 */
function over(load, show) {
  const module = new Lazy(load);
  return { module, open: (/** @type {string} */ id) => show(module.value, id) };
}

/** @type {Partial<Record<Route["name"], { module: Lazy<unknown>, open: (id: string) => void }>>} */
const overlays = {
  comments: over(() => import("./screens/comments.js"), ({ CommentsScreen }, id) => openComments(new CommentsScreen(shell, id))),
  picture: over(() => import("./screens/viewer.js"), ({ Viewer }, id) => openViewer((ways) => new Viewer(starts.feed.screen, id, ways))),
};

/**
 * The modules that a route needs to be shown.
 *
 * @param {Route} route
 * @returns {Lazy<unknown>[]}
 */
function needs({ name }) {
  if (name === "notFound") return [];
  const overlay = overlays[name];
  if (overlay) return [starts.feed.module, overlay.module];
  return [(pages[name] ?? starts[/** @type {keyof typeof starts} */ (name)]).module];
}

/** @type {Map<string, { id: string, screen: Page }>} */
const made = new Map();

/**
 * The page of a route; null if the route is of no page inside an app.
 *
 * @param {Route} route
 * @param {Cause} cause
 */
function page(route, cause) {
  const kind = pages[route.name];
  if (!kind) return null;
  const known = made.get(route.name);
  if (known && !kind.isForgotten && known.id === route.id && (cause === "history" || !route.id || shell.isFront(known.screen))) return known.screen;
  known?.screen.element.remove();
  if (known) shell.leave(known.screen);
  const screen = Object.assign(kind.make(route, cause), { name: kind.app });
  made.set(route.name, { id: route.id, screen });
  return screen;
}

/** @returns {Page} */
function notFound() {
  return { isWorking: false, element: h("section", { class: "screen" }, message({
    glyph: "drop", title: t("notFound.title"), text: t("notFound.text"), test: "not-found", level: "h1",
    action: { title: t("notFound.home"), run: () => router.go("/") } })) };
}

/** The server runs, and yet a module has not come, or is broken. @returns {Page} */
function notLoaded() {
  return { isWorking: false, element: h("section", { class: "screen" }, message({
    glyph: "drop", title: t("notLoaded.title"), text: t("notLoaded.text"), test: "not-loaded", level: "h1",
    action: { title: t("retry"), run: () => load(location.pathname + location.search) } })) };
}

/** @param {import("./screens/comments.js").CommentsScreen} opened */
function openComments(opened) {
  const feed = starts.feed.screen;
  shell.overlay = opened;
  opened.drawItem(feed.item(opened.id));
  feed.onState = () => opened.drawItem(feed.item(opened.id));
  opened.open();
}

/** @param {(ways: import("./screens/viewer.js").Ways) => import("./screens/viewer.js").Viewer} make */
function openViewer(make) {
  const feed = starts.feed.screen;
  const opened = make({
    close: () => router.back("/"),
    moved: (now) => {
      router.rename(`/feed/${encodeURIComponent(now)}/picture`);
      shell.titleChanged();
    },
  });
  shell.overlay = opened;
  feed.onState = () => {
    opened.draw();
    shell.titleChanged();
  };
  opened.open();
}

function closeOverlay() {
  const { overlay } = shell;
  if (!overlay) return;
  shell.overlay = null;
  starts.feed.screen.onState = null;
  overlay.close();
}

/** @type {Shell} */
const shell = new Shell(apps, {
  go: (path) => router.go(path),
  back: (path) => router.back(path),
  closeComments: () => router.back("/"),
  paid: () => {
    if (starts.contacts.module.isReady) starts.contacts.screen.forgetSearch();
    router.go("/contacts");
  },
});

/**
 * Shows a route.
 *
 * @param {Route} route
 * @param {Cause} cause
 */
function show(route, cause) {
  const overlay = overlays[route.name];
  if (shell.overlay && (shell.overlay.route !== route.name || shell.overlay.id !== route.id)) closeOverlay();
  if (route.name === "notFound") shell.present(notFound(), cause);
  else if (overlay) shell.present(start("feed"), "start");
  else shell.present(page(route, cause) ?? start(/** @type {keyof typeof starts} */ (route.name)), cause);
  if (!shell.overlay) overlay?.open(route.id);
  shell.titleChanged();
}

const latest = new Latest();
/**
 * Opens the page again that could not be loaded; null if there is none.
 *
 * @type {(() => void) | null}
 */
let stuck = null;

/**
 * Shows a route as soon as its modules are there.
 *
 * @param {Route} route
 * @param {Cause} cause
 */
function open(route, cause) {
  stuck = null;
  shell.loading(needs(route).some((need) => !need.isReady));
  latest.when(needs(route), () => {
    shell.loading(false);
    show(route, cause);
  }, async (error) => {
    const address = location.href;
    const isServed = await isRunning();
    if (location.href !== address) return;
    shell.loading(false);
    if (isServed) {
      console.error(error);
      return shell.present(notLoaded(), cause);
    }
    stuck = () => open(route, cause);
    shell.lost();
  });
}
document.addEventListener("aquifer:found", () => stuck?.());

// Another tab has changed the language: this one follows as soon as nothing is lost by it, at the latest at a navigation.
/** @type {Router} */
const router = new Router((route, cause) => open(route, cause), () => isOutdated() && !shell.isHeld && !shell.isLost);

frame("main").after(new MiniPlayer().element);
if (carried?.playing) player.resume(carried.playing);
followLanguage(() => shell.isHeld || shell.isLost);
router.start();
