import { h } from "../dom.js";
import { t } from "../i18n.js";
import { pictureOf } from "./download.js";

const WIDTH = 900;
const MARGIN = 72;
const LINE = 68;
/** Paper is light, whatever the page is. */
const INK = { ground: "#ffffff", text: "#13202c", muted: "#536271", line: "#dde3e9", good: "#14633a", soft: "#e1f5e9" };

/**
 * The receipt of a payment as a PNG, on white, to be kept or sent.
 *
 * @param {Wire.PaymentReceipt} paid
 */
export async function receiptPicture(paid) {
  const rows = [
    ["receipt.status", paid.status], ["receipt.date", paid.dateText], ["receipt.number", String(paid.number ?? "")],
    ["receipt.card", `${paid.brandName} ${paid.masked}`], ["receipt.total", paid.total],
  ];
  const canvas = h("canvas");
  const paint = canvas.getContext("2d");
  if (!paint) throw new Error("this browser cannot draw");
  const family = getComputedStyle(document.documentElement).fontFamily;
  const head = 470;
  canvas.width = WIDTH;
  canvas.height = head + rows.length * LINE + MARGIN;
  paint.fillStyle = INK.ground;
  paint.fillRect(0, 0, WIDTH, canvas.height);

  /**
   * @param {string} text
   * @param {number} y
   * @param {{ size: number, weight?: number, color?: string, align?: CanvasTextAlign, x?: number, width?: number }} style
   */
  const write = (text, y, { size, weight = 400, color = INK.text, align = "center", x = WIDTH / 2, width = WIDTH - 2 * MARGIN }) => {
    paint.font = `${weight} ${size}px ${family}`;
    paint.fillStyle = color;
    paint.textAlign = align;
    paint.fillText(text, x, y, width);
  };

  paint.fillStyle = INK.soft;
  paint.beginPath();
  paint.arc(WIDTH / 2, 120, 48, 0, 2 * Math.PI);
  paint.fill();
  paint.strokeStyle = INK.good;
  paint.lineWidth = 9;
  paint.lineCap = paint.lineJoin = "round";
  paint.beginPath();
  paint.moveTo(WIDTH / 2 - 20, 122);
  paint.lineTo(WIDTH / 2 - 5, 137);
  paint.lineTo(WIDTH / 2 + 22, 106);
  paint.stroke();
  write(t("receipt.title"), 220, { size: 30, weight: 600, color: INK.muted });
  write(paid.amount, 306, { size: 76, weight: 700 });
  write(paid.name, 364, { size: 32, weight: 600 });
  write(paid.username, 404, { size: 26, color: INK.muted });
  for (const [index, [name, value]] of rows.entries()) {
    const y = head + index * LINE;
    paint.strokeStyle = INK.line;
    paint.lineWidth = 2;
    paint.beginPath();
    paint.moveTo(MARGIN, y - 22);
    paint.lineTo(WIDTH - MARGIN, y - 22);
    paint.stroke();
    const isLast = index === rows.length - 1;
    write(t(name), y + 24, { size: 28, color: INK.muted, align: "left", x: MARGIN, width: 240 });
    write(value, y + 24, { size: 28, weight: isLast ? 700 : 500, align: "right", x: WIDTH - MARGIN, width: WIDTH - 2 * MARGIN - 260 });
  }
  return pictureOf(canvas);
}
