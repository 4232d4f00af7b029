/** Up and down go through the links of a list; up from the first one goes to the search field. */
export function arrowKeys(event, field) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const row = event.target.closest("li");
  const next = event.key === "ArrowDown" ? row?.nextElementSibling : row?.previousElementSibling;
  event.preventDefault();
  if (next) next.querySelector("a").focus();
  else if (event.key === "ArrowUp") field.focus();
}
