import { size, t } from "../i18n.js";
import { timeLeft } from "../logic/rate.js";

/**
 * The rate of a transfer and the time that is left, in words; empty if they cannot be told.
 *
 * @param {import("../logic/rate.js").Speed | null} speed
 */
export function speedText(speed) {
  if (!speed) return "";
  const { unit, count } = timeLeft(speed.left);
  return `${t("drive.rate", { rate: size(Math.round(speed.rate)) })} · ${t(`drive.left.${unit}`, { count })}`;
}
