// Formulas are set in the browser by the KaTeX in this folder.
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll(".arithmatex")) {
    const formula = element.textContent.trim();
    katex.render(formula.slice(2, -2), element, { displayMode: formula.startsWith("\\["), throwOnError: true });
  }
});
