import { carried } from "./carried.js";
import { MiniPlayer } from "./components/mini-player.js";
import { player } from "./components/player.js";
import { message } from "./components/states.js";
import { frame, h } from "./dom.js";
import { isOutdated, t } from "./i18n.js";
import { contactId } from "./logic/routes.js";
import { Router } from "./router.js";
import { AudioScreen } from "./screens/audio.js";
import { AudioComposeScreen } from "./screens/audio-compose.js";
import { CardFormScreen } from "./screens/card-form.js";
import { CardsScreen } from "./screens/cards.js";
import { CommentsScreen } from "./screens/comments.js";
import { ContactsScreen } from "./screens/contacts.js";
import { DriveScreen } from "./screens/drive.js";
import { DriveAccountScreen } from "./screens/drive-account.js";
import { DriveCreateScreen } from "./screens/drive-create.js";
import { FeedScreen } from "./screens/feed.js";
import { FoaasScreen } from "./screens/foaas.js";
import { FoaasOperationsScreen } from "./screens/foaas-operations.js";
import { FoaasPreviewScreen } from "./screens/foaas-preview.js";
import { FoaasSettingsScreen } from "./screens/foaas-settings.js";
import { InspectorScreen } from "./screens/inspector.js";
import { OutboxScreen } from "./screens/outbox.js";
import { PaymentScreen } from "./screens/payment.js";
import { PaymentsScreen } from "./screens/payments.js";
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

/** The first screen of each app. A screen is made when it is first needed, and stays. */
const starts = {
  feed: once(() => new FeedScreen(shell)),
  contacts: once(() => new ContactsScreen(shell)),
  foaas: once(() => new FoaasScreen(shell)),
  audio: once(() => new AudioScreen(shell)),
  drive: once(() => new DriveScreen(shell)),
  inspector: once(() => new InspectorScreen(shell)),
};

/**
 * @template Screen
 * @param {() => Screen} make
 */
function once(make) {
  /** @type {Screen | null} */
  let made = null;
  return () => (made ??= make());
}

/** @param {import("./shell.js").Entry["name"]} name */
const start = (name) => Object.assign(starts[name](), { name });

/**
 * Pages inside an app: `app` is the one that the navigation marks. Each is made anew, unless one comes back to it.
 *
 * @type {Partial<Record<Route["name"], { app: string, make: (route: Route, cause: Cause) => Page, isForgotten?: boolean }>>}
 */
const pages = {
  payment: { app: "contacts", make: ({ id }, cause) => new PaymentScreen(shell, id, cause === "link") },
  cards: { app: "contacts", make: () => new CardsScreen(shell) },
  cardForm: { app: "contacts", make: ({ query }) => new CardFormScreen(shell, contactId(query.get("pay"))), isForgotten: true },
  payments: { app: "contacts", make: () => new PaymentsScreen(shell) },
  operations: { app: "foaas", make: () => new FoaasOperationsScreen(shell) },
  preview: { app: "foaas", make: ({ id }) => new FoaasPreviewScreen(shell, id) },
  foaasSettings: { app: "foaas", make: () => new FoaasSettingsScreen(shell) },
  compose: { app: "audio", make: () => new AudioComposeScreen(shell) },
  outbox: { app: "audio", make: () => new OutboxScreen(shell) },
  driveCreate: { app: "drive", make: () => new DriveCreateScreen(shell) },
  driveAccount: { app: "drive", make: ({ id }) => new DriveAccountScreen(shell, id) },
};
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

/** @param {string} id */
function openComments(id) {
  const feed = starts.feed();
  const comments = new CommentsScreen(shell, id);
  shell.comments = comments;
  comments.drawItem(feed.item(id));
  feed.onState = () => comments.drawItem(feed.item(id));
  comments.open();
}

function closeComments() {
  shell.comments?.close();
  shell.comments = null;
  starts.feed().onState = null;
}

/** @type {Shell} */
const shell = new Shell(apps, {
  go: (path) => router.go(path),
  back: (path) => router.back(path),
  closeComments: () => router.back("/"),
  paid: () => {
    starts.contacts().forgetSearch();
    router.go("/contacts");
  },
});

/** @type {Router} */
const router = new Router((route, cause) => {
  if (shell.comments && shell.comments.id !== route.id) closeComments();
  if (route.name === "notFound") shell.present(notFound(), cause);
  else if (route.name === "comments") shell.present(start("feed"), "start");
  else shell.present(page(route, cause) ?? start(/** @type {import("./shell.js").Entry["name"]} */ (route.name)), cause);
  if (route.name === "comments" && !shell.comments) openComments(route.id);
  shell.titleChanged();
  // Another tab has changed the language: this one follows as soon as nothing is lost by it.
}, () => isOutdated() && !shell.isHeld && !shell.isLost);

frame("main").after(new MiniPlayer().element);
if (carried?.playing) player.resume(carried.playing);
router.start();
