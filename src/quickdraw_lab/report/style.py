"""The style sheet of the page, for screen and print."""

STYLE = """
:root { --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --paper: #ffffff; --tint: #f4f6f9;
  --good: #00684a; --bad: #a8320a; --unsure: #6a5a00; }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0.5rem 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 0.8rem; padding-top: 0.8rem; border-top: 2px solid var(--line); }
h3 { font-size: 0.95rem; font-weight: 600; margin: 1.4rem 0 0.4rem; color: var(--soft); }
nav { position: sticky; top: 0; padding: 0.5rem 0; background: var(--paper); border-bottom: 1px solid var(--line); }
nav a { display: inline-block; margin-right: 0.7rem; }
a { color: #005a9c; }
a:focus-visible, summary:focus-visible { outline: 2px solid #005a9c; outline-offset: 2px; }
section { scroll-margin-top: 3rem; }
figure { margin: 0.5rem 0 1rem; }
img { max-width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: 0.9rem; max-width: 46rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.7rem 0.3rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; border-bottom: 2px solid var(--soft); white-space: nowrap; }
tbody tr:hover { background: var(--tint); }
table[data-name="claims"] td:nth-child(3) { min-width: 16rem; }
table[data-name="claims"] td:nth-child(4) { min-width: 18rem; }
.verdict { font-weight: 700; white-space: nowrap; }
.holds .verdict { color: var(--good); }
.holds .verdict::before { content: "\\2713\\00a0"; }
.does-not-hold .verdict { color: var(--bad); }
.does-not-hold .verdict::before { content: "\\2717\\00a0"; }
.open .verdict { color: var(--unsure); }
.open .verdict::before { content: "?\\00a0"; }
.not-measured .verdict { color: var(--soft); font-weight: 400; }
details ul { margin: 0.4rem 0; padding-left: 1.1rem; color: var(--soft); }
summary { cursor: pointer; }
@media (max-width: 40rem) {
  main { padding: 1rem 0.8rem 3rem; } h1 { font-size: 1.35rem; }
  /* One claim below the other, each with its verdict below it rather than out of sight. */
  table[data-name="claims"] thead { display: none; }
  table[data-name="claims"] tr { display: block; padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  table[data-name="claims"] td { display: block; min-width: 0; padding: 0.1rem 0; border: 0; }
  table[data-name="claims"] td:nth-child(-n+2) { display: inline-block; margin-right: 0.7rem; }
}
@media print { nav { display: none; } h2 { break-after: avoid; } figure, tr { break-inside: avoid; } }
"""
