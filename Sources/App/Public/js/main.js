import { message } from "./components/states.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { Router } from "./router.js";
import { CommentsScreen } from "./screens/comments.js";
import { FeedScreen } from "./screens/feed.js";
import { InspectorScreen } from "./screens/inspector.js";
import { Shell } from "./shell.js";

/** The apps in the navigation: an app more is a line here, its screen below, and its route. */
const apps = [
  { name: "feed", path: "/", icon: "feed", screen: FeedScreen },
  { name: "inspector", path: "/inspector", icon: "inspector", screen: InspectorScreen },
];

const shell = new Shell(apps);
const screens = {};

/** A screen is made when it is first needed, and stays. */
function screen(name) {
  if (!screens[name]) {
    const { screen: Kind } = apps.find((app) => app.name === name);
    screens[name] = Object.assign(new Kind(shell), { name });
  }
  return screens[name];
}

function notFound() {
  return { element: h("section", { class: "screen" }, message({
    glyph: "drop", title: t("notFound.title"), text: t("notFound.text"), test: "not-found", level: "h1",
    action: { title: t("notFound.home"), run: () => router.go("/") } })) };
}

function openComments(id) {
  const feed = screen("feed");
  const comments = new CommentsScreen(shell, id);
  shell.comments = comments;
  comments.drawItem(feed.item(id));
  feed.onState = () => comments.drawItem(feed.item(id));
  comments.open();
}

function closeComments() {
  shell.comments?.close();
  shell.comments = null;
  screen("feed").onState = null;
}

const router = new Router({
  feed: /^\/$/,
  comments: /^\/feed\/([^/]+)$/,
  inspector: /^\/inspector$/,
}, ({ name, id }, cause) => {
  if (shell.comments && shell.comments.id !== id) closeComments();
  if (name === "notFound") shell.present(notFound(), cause);
  else shell.present(screen(name === "comments" ? "feed" : name), name === "comments" ? "start" : cause);
  if (name === "comments" && !shell.comments) openComments(id);
  shell.titleChanged();
});

shell.closeComments = () => router.back("/");
router.start();
