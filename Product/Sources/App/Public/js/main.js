import { carried, load } from "./carried.js";
import { MiniPlayer } from "./components/mini-player.js";
import { player } from "./components/player.js";
import { message } from "./components/states.js";
import { frame, h } from "./dom.js";
import { isOutdated, t } from "./i18n.js";
import { Latest, Lazy } from "./logic/lazy.js";
import { contactId } from "./logic/routes.js";
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
  { name: "inspector", path: "/inspector", icon: "inspector" },
];

/** The first screen of each app. A screen is loaded and made when it is first needed, and stays. */
const starts = {
  feed: new Lazy(async () => new (await import("./screens/feed.js")).FeedScreen(shell)),
  contacts: new Lazy(async () => new (await import("./screens/contacts.js")).ContactsScreen(shell)),
  foaas: new Lazy(async () => new (await import("./screens/foaas.js")).FoaasScreen(shell)),
  audio: new Lazy(async () => new (await import("./screens/audio.js")).AudioScreen(shell)),
  drive: new Lazy(async () => new (await import("./screens/drive.js")).DriveScreen(shell)),
  inspector: new Lazy(async () => new (await import("./screens/inspector.js")).InspectorScreen(shell)),
};

/** @param {import("./shell.js").Entry["name"]} name */
const start = (name) => Object.assign(starts[name].value, { name });

/**
 * A page inside an app: `app` is the one that the navigation marks.
 *
 * @typedef {{ app: string, make: Lazy<(route: Route, cause: Cause) => Page>, isForgotten?: boolean }} Kind
 */

/**
 * Pages inside an app. Each is made anew, unless one comes back to it.
 *
 * @type {Partial<Record<Route["name"], Kind>>}
 */
const pages = {
  payment: { app: "contacts", make: new Lazy(async () => {
    const { PaymentScreen } = await import("./screens/payment.js");
    return ({ id }, cause) => new PaymentScreen(shell, id, cause === "link");
  }) },
  cards: { app: "contacts", make: new Lazy(async () => {
    const { CardsScreen } = await import("./screens/cards.js");
    return () => new CardsScreen(shell);
  }) },
  cardForm: { app: "contacts", isForgotten: true, make: new Lazy(async () => {
    const { CardFormScreen } = await import("./screens/card-form.js");
    return ({ query }) => new CardFormScreen(shell, contactId(query.get("pay")));
  }) },
  payments: { app: "contacts", make: new Lazy(async () => {
    const { PaymentsScreen } = await import("./screens/payments.js");
    return () => new PaymentsScreen(shell);
  }) },
  operations: { app: "foaas", make: new Lazy(async () => {
    const { FoaasOperationsScreen } = await import("./screens/foaas-operations.js");
    return () => new FoaasOperationsScreen(shell);
  }) },
  preview: { app: "foaas", make: new Lazy(async () => {
    const { FoaasPreviewScreen } = await import("./screens/foaas-preview.js");
    return ({ id }) => new FoaasPreviewScreen(shell, id);
  }) },
  foaasSettings: { app: "foaas", make: new Lazy(async () => {
    const { FoaasSettingsScreen } = await import("./screens/foaas-settings.js");
    return () => new FoaasSettingsScreen(shell);
  }) },
  compose: { app: "audio", make: new Lazy(async () => {
    const { AudioComposeScreen } = await import("./screens/audio-compose.js");
    return () => new AudioComposeScreen(shell);
  }) },
  outbox: { app: "audio", make: new Lazy(async () => {
    const { OutboxScreen } = await import("./screens/outbox.js");
    return () => new OutboxScreen(shell);
  }) },
  driveCreate: { app: "drive", make: new Lazy(async () => {
    const { DriveCreateScreen } = await import("./screens/drive-create.js");
    return () => new DriveCreateScreen(shell);
  }) },
  driveAccount: { app: "drive", make: new Lazy(async () => {
    const { DriveAccountScreen } = await import("./screens/drive-account.js");
    return ({ id }) => new DriveAccountScreen(shell, id);
  }) },
};
/** The comments, which lie over the feed. */
const comments = new Lazy(async () => (await import("./screens/comments.js")).CommentsScreen);

/**
 * The modules that a route needs to be shown.
 *
 * @param {Route} route
 * @returns {Lazy<unknown>[]}
 */
function needs({ name }) {
  if (name === "notFound") return [];
  if (name === "comments") return [starts.feed, comments];
  return [pages[name]?.make ?? starts[/** @type {import("./shell.js").Entry["name"]} */ (name)]];
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
  const screen = Object.assign(kind.make.value(route, cause), { name: kind.app });
  made.set(route.name, { id: route.id, screen });
  return screen;
}

/** @returns {Page} */
function notFound() {
  return { isWorking: false, element: h("section", { class: "screen" }, message({
    glyph: "drop", title: t("notFound.title"), text: t("notFound.text"), test: "not-found", level: "h1",
    action: { title: t("notFound.home"), run: () => router.go("/") } })) };
}

/** @param {string} id */
function openComments(id) {
  const feed = starts.feed.value;
  const opened = new comments.value(shell, id);
  shell.comments = opened;
  opened.drawItem(feed.item(id));
  feed.onState = () => opened.drawItem(feed.item(id));
  opened.open();
}

function closeComments() {
  shell.comments?.close();
  shell.comments = null;
  starts.feed.value.onState = null;
}

/** @type {Shell} */
const shell = new Shell(apps, {
  go: (path) => router.go(path),
  back: (path) => router.back(path),
  closeComments: () => router.back("/"),
  paid: () => {
    if (starts.contacts.isReady) starts.contacts.value.forgetSearch();
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
  if (shell.comments && shell.comments.id !== route.id) closeComments();
  if (route.name === "notFound") shell.present(notFound(), cause);
  else if (route.name === "comments") shell.present(start("feed"), "start");
  else shell.present(page(route, cause) ?? start(/** @type {import("./shell.js").Entry["name"]} */ (route.name)), cause);
  if (route.name === "comments" && !shell.comments) openComments(route.id);
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
 * @param {boolean} isAgain
 */
function open(route, cause, isAgain = false) {
  stuck = null;
  shell.loading(needs(route).some((need) => !need.isReady));
  latest.when(needs(route), () => {
    shell.loading(false);
    show(route, cause);
  }, () => {
    // A browser may keep a module's failure until the page is loaded anew.
    if (isAgain && !shell.isHeld) return load(location.pathname + location.search);
    stuck = () => open(route, cause, true);
    shell.lost();
  });
}
document.addEventListener("aquifer:found", () => stuck?.());

// Another tab has changed the language: this one follows as soon as nothing is lost by it.
/** @type {Router} */
const router = new Router((route, cause) => open(route, cause), () => isOutdated() && !shell.isHeld && !shell.isLost);

frame("main").after(new MiniPlayer().element);
if (carried?.playing) player.resume(carried.playing);
router.start();
