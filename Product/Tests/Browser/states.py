"""The one list of the routes and states that somebody can see. A walk brings a page from state to state, and tells `look` at
each of them; `test_everywhere.py` looks in each language, theme and width."""

from playwright.sync_api import expect

from test_audio import compose, part, playing, tone
from test_audio_waiting import TitlesTaken, post_later, row as waiting, to_the_list
from test_drive import VECTOR, act, add, choose, create, text_file
from test_feed import FEED
from test_foaas import preview, said
from test_payments import BAD, GOOD, TEST_CARD, add_card, enter, fill_card, open_contact

PALETTES = ("ink", "ember", "moss", "tide", "plum", "paper")


def go(page, path, ready):
    """Opens a page, and waits until a part of it is there."""
    page.page.goto(page.server.base + path)
    expect(page.by(ready).first).to_be_visible()


def reload_offline(page):
    page.connection("offline")
    page.by("reload").click()
    expect(page.by("notice")).to_be_visible()


def feed(page, look, folder):
    expect(page.items.first).to_be_visible()
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    look("feed")
    go(page, f"/feed/{FEED[7]['id']}", "comment")
    look("comments")
    go(page, f"/feed/{FEED[2]['id']}/picture", "viewer-picture")
    expect(page.by("viewer-picture")).to_have_attribute("data-state", "loaded")
    look("picture")
    page.by("viewer-zoom-in").click()
    look("picture that is large")
    go(page, "/feed/nope/picture", "viewer-missing")
    look("no such picture")


def shell(page, look, folder):
    expect(page.items.first).to_be_visible()
    go(page, "/nowhere", "not-found")
    look("no such page")
    page.by("settings-button").click()
    look("settings")
    page.page.keyboard.press("Escape")
    page.by("connection-button").click()
    look("connection")
    page.page.keyboard.press("Escape")
    page.developer()
    look("drawer for developers")


def feed_offline(page, look, folder):
    expect(page.items.first).to_be_visible()
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    reload_offline(page)
    look("feed offline")
    page.connection("garbage")
    page.scroll_to(2600)
    expect(page.by("image-retry").first).to_be_visible()
    look("failed pictures")


def feed_failed(page, look, folder):
    expect(page.by("failed")).to_be_visible()
    look("feed failed")
    go(page, "/contacts", "contacts-failed")
    look("contacts failed")


def inspector(page, look, folder):
    expect(page.items.first).to_be_visible()
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    go(page, "/inspector", "inspector-row")
    expect(page.by("event").first).to_be_visible()
    page.by("delete").first.click()
    expect(page.by("delete-confirm")).to_be_visible()
    look("inspector that asks")


def contacts(page, look, folder):
    go(page, "/cards", "cards-empty")
    look("no cards")
    go(page, "/payments", "payments-empty")
    look("no payments")
    go(page, "/pay/999999", "pay-missing")
    look("no such contact")
    go(page, "/contacts", "contact")
    look("contacts")
    page.by("search").fill("qqqq")
    expect(page.by("no-match")).to_be_visible()
    look("no match")
    page.by("search").fill("")
    reload_offline(page)
    look("contacts offline")


def paying(page, look, folder):
    go(page, "/contacts", "contact")
    page.by("contact").first.click()
    expect(page.by("priming")).to_be_visible()
    look("priming")
    page.by("priming-add").click()
    expect(page.by("card-form")).to_be_visible()
    look("card form")
    page.by("card-number").press_sequentially(GOOD[:-1] + "3")
    page.by("card-expiry").press_sequentially("1329")
    expect(page.by("card-number-error")).to_be_visible()
    expect(page.by("card-expiry-error")).to_be_visible()
    look("card form with errors")
    page.by("card-number").fill("")
    page.by("card-expiry").fill("")
    fill_card(page, BAD)
    page.by("card-holder").focus()
    look("card form that is complete")
    page.by("save").click()
    expect(page.by("pay-form")).to_be_visible()
    look("payment")
    enter(page, "500")
    look("payment that may go")
    page.by("pay").click()
    expect(page.by("declined")).to_be_visible()
    look("payment declined")
    add_card(page, GOOD)
    page.page.goto(page.server.base + "/cards/new")
    fill_card(page, TEST_CARD, "0118")
    look("card form of a test card")
    page.by("save").click()
    expect(page.by("card")).to_have_count(3)
    look("cards")
    page.by("remove").first.click()
    look("cards that ask")


def paid(page, look, folder):
    add_card(page, BAD)
    add_card(page, GOOD)
    open_contact(page, 1)
    page.by("change-card").click()
    look("sheet of cards")
    page.by("choose-card").filter(has_text="4242").click()
    enter(page)
    page.by("pay").click()
    expect(page.by("receipt")).to_be_visible()
    look("receipt")
    page.connection("answer-lost")
    open_contact(page, 2)
    if page.by("change-card").count():
        page.by("change-card").click()
        page.by("choose-card").filter(has_text="4242").click()
    enter(page)
    page.by("pay").click()
    expect(page.by("unknown")).to_be_visible()
    # It is checked by itself, and would be known before all has been looked at.
    page.connection("offline")
    look("payment unknown")
    page.by("give-up").click()
    look("payment about to be given up")
    go(page, "/payments", "payment")
    look("payments")
    page.by("payment-receipt").first.click()
    look("receipt from the history")
    page.page.keyboard.press("Escape")
    page.by("payment-give-up").click()
    look("payments that ask")


def phrases(page, look, folder):
    go(page, "/foaas/operations", "operation")
    expect(page.by("operation").filter(has_text="awesome")).to_be_visible()
    page.by("filter-favorites").click()
    expect(page.by("favorites-empty")).to_be_visible()
    look("no favorites")
    page.by("filter-all").click()
    page.by("favorite").nth(1).click()
    expect(page.by("favorite").nth(1)).to_have_attribute("aria-pressed", "true")
    look("operations as sentences")
    page.by("filter-favorites").click()
    expect(page.by("operation")).to_have_count(1)
    look("favorites")
    page.by("filter-all").click()
    preview(page, "Shakespeare")
    look("phrase to be made")
    go(page, "/foaas/operations/gift%2F%3Aname%2F%3Athing%2F%3Afrom", "preview")
    look("phrase of three fields")
    for palette in PALETTES:
        go(page, "/foaas/settings", "filter")
        page.by(f"palette-{palette}").check(force=True)
        if palette == "ink":
            look("settings of phrases")
        page.page.goto(page.server.base + "/foaas")
        expect(page.by("screen-foaas")).to_have_attribute("data-palette", palette)
        expect(said(page)).not_to_be_empty()
        look(f"phrase on {palette}")
    page.connection("offline")
    page.by("phrase").click()
    expect(page.by("seen").first).to_be_visible()
    look("phrase offline")


def clips(page, look, folder):
    go(page, "/audio", "clip")
    part(page.by("clip").nth(1), "download").click()
    expect(part(page.by("clip").nth(1), "offline-badge")).to_be_visible()
    part(page.by("clip").first, "play").click()
    expect(playing(page)).to_have_count(1)
    look("clips")
    page.connection("offline")
    part(page.by("clip").nth(4), "play").click()
    expect(part(page.by("clip").nth(4), "clip-problem")).to_be_visible()
    part(page.by("clip").nth(3), "download").click()
    expect(part(page.by("clip").nth(3), "clip-problem")).to_be_visible()
    look("clips offline")


def sending(page, look, folder):
    go(page, "/audio/new", "pick")
    look("new clip")
    page.connection("offline")
    compose(page, tone(folder), "A tone")
    look("new clip with a file")
    page.by("send").click()
    expect(page.by("compose-failed")).to_be_visible()
    look("clip not sent")
    page.by("later").click()
    expect(page.by("compose-queued")).to_be_visible()
    look("clip queued")
    page.by("result-outbox").click()
    expect(page.by("outbox-item")).to_be_visible()
    look("outbox")
    page.by("discard").click()
    look("outbox that asks")
    page.by("discard-confirm").click()
    expect(page.by("outbox-empty")).to_be_visible()
    look("outbox empty")


def refused(page, look, folder):
    page.page.goto(page.server.base + "/audio/new")
    post_later(page, tone(folder), "Taken")
    to_the_list(page)
    expect(waiting(page, "Taken")).to_have_attribute("data-pending", "refused")
    post_later(page, tone(folder), "A title that is so long that it needs more than a line on a phone, and its reason too")
    to_the_list(page)
    expect(part(waiting(page, "A title that"), "pending-reason")).to_be_visible()
    look("clips that wait")
    part(waiting(page, "Taken"), "edit").click()
    look("clip whose title is changed")
    page.page.keyboard.press("Escape")
    part(waiting(page, "Taken"), "discard").click()
    look("clip that asks")


def drive(page, look, folder):
    go(page, "/drive", "drive-empty")
    look("no accounts")
    go(page, "/drive/new", "create-form")
    page.by("create-size").fill("x")
    page.page.keyboard.press("Tab")
    expect(page.by("size-error")).to_be_visible()
    look("new account with an error")
    page.by("create-size").fill("1GB")
    expect(page.by("cost")).to_contain_text("SHDW")
    look("new account with its cost")
    page.by("create-name").fill("A")
    page.by("create").click()
    expect(page.by("created")).to_be_visible()
    look("account created")
    page.by("again").click()
    page.by("hand-open").click()
    page.by("hand-text").fill(VECTOR["transaction_base64"])
    expect(page.by("hand-error")).to_be_visible()
    look("transaction that is none of ours")


def account(page, look, folder):
    name = "A name that is rather long, as names of accounts can well be, 60"
    create(page, "W" * 64)
    create(page, name)
    add(page, text_file(folder, "W" * 80 + ".txt"), text_file(folder, "a,b.txt"))
    page.by("file-menu").first.click()
    look("menu of a file")
    page.page.keyboard.press("Escape")
    page.by("account-menu").click()
    look("menu of an account")
    page.page.keyboard.press("Escape")
    page.by("open-file").first.click()
    expect(page.by("preview-text")).to_be_visible()
    look("file that is shown")
    page.by("preview-close").click()
    act(page.by("file").first, "delete")
    choose(page, "immutable-open")
    look("account that asks")
    page.by("typed").fill(name)
    look("account about to be locked")
    choose(page, "deletion-open")
    look("account about to be deleted")
    reload_offline(page)
    look("account offline")
    go(page, "/drive", "account")
    expect(page.by("account")).to_have_count(2)
    look("accounts offline")


#: The walks: the first page of each, and the arguments of its server.
WALKS = {
    feed: ("/", []), shell: ("/", []), feed_offline: ("/", []), inspector: ("/", []),
    feed_failed: ("/", ["--fault", "feed=offline", "--fault", "payments=offline"]),
    contacts: ("/cards", []), paying: ("/contacts", []), paid: ("/contacts", []), phrases: ("/foaas", []),
    clips: ("/audio", []), sending: ("/audio/new", []), refused: ("/audio", [TitlesTaken]), drive: ("/drive", []), account: ("/drive", []),
}
