/** The look of the reference page: two columns, or one on a phone; light or dark like the reader's system. */

/** Colours in light and dark. The contrast of all texts is at least 4.5:1 on the background (WCAG 2.2 AA, success criterion 1.4.3). */
export const colours = {
  background: ['#ffffff', '#121212'],
  text: ['#1b1b1b', '#ececec'],
  dim: ['#5a5a5a', '#ababab'],
  link: ['#1f4fae', '#8ab4ff'],
  type: ['#6b42b8', '#c3a6ff'],
  GET: ['#1f6b3f', '#6fce95'],
  POST: ['#1f4fae', '#8ab4ff'],
  PUT: ['#0b6470', '#5fd0dc'],
  PATCH: ['#7a5000', '#e3b341'],
  DELETE: ['#b02a1d', '#ff8f84'],
} as const;

const variables = Object.entries(colours)
  .map(([name, [light, dark]]) => `--${name}: light-dark(${light}, ${dark});`)
  .join(' ');

const methods = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)
  .map((method) => `.${method} { color: var(--${method}); }`)
  .join(' ');

export const referenceStyle = `
  :root { color-scheme: light dark; ${variables} --line: color-mix(in srgb, currentColor 18%, transparent); }
  body { margin: 0; font: 15px/1.5 system-ui, sans-serif; background: var(--background); color: var(--text); display: grid; grid-template-columns: 22rem minmax(0, 1fr); }
  aside { position: sticky; top: 0; height: 100vh; box-sizing: border-box; border-right: 1px solid var(--line); display: flex; flex-direction: column; }
  header { padding: .8rem 1rem; border-bottom: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; background: var(--background); }
  header a { color: inherit; } header .to-routes { display: none; }
  form { flex: 1 0 100%; } input { width: 100%; box-sizing: border-box; font: inherit; color: inherit; background: transparent; border: 1px solid var(--dim); border-radius: 6px; padding: .25rem .5rem; }
  input::placeholder { color: var(--dim); opacity: 1; }
  nav { overflow-y: auto; padding: 0 1rem 1rem; font-size: 13px; }
  nav h2 { font-size: 13px; margin: 1rem 0 .2rem; color: var(--dim); }
  nav a { display: flex; gap: .4rem; color: inherit; text-decoration: none; padding: .15rem 0; }
  nav a:hover, nav a:focus { text-decoration: underline; }
  main { padding: 1rem 2rem 4rem; max-width: 62rem; }
  main a { color: var(--link); }
  article { border-top: 1px solid var(--line); padding: .6rem 0 1rem; }
  h3 { font: 600 15px/1.4 ui-monospace, monospace; margin: .4rem 0; overflow-wrap: anywhere; }
  summary { cursor: pointer; } h4, summary { margin: .8rem 0 .2rem; font-size: 13px; color: var(--dim); }
  code, pre { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
  pre { border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; white-space: pre-wrap; }
  .method { display: inline-block; flex: none; min-width: 4.2em; font-weight: 700; }
  ${methods}
  .type { color: var(--type); font-size: 13px; overflow-wrap: anywhere; } .limits, .optional, .level { color: var(--dim); font-size: 13px; overflow-wrap: anywhere; }
  .fields { list-style: none; padding-left: 1rem; margin: .2rem 0; border-left: 2px solid var(--line); }
  @media (max-width: 50rem) {
    body { display: flex; flex-direction: column; } aside { display: contents; }
    header { position: sticky; top: 0; z-index: 1; } header .to-routes { display: inline; }
    main { padding: 1rem; } nav { order: 1; border-top: 1px solid var(--line); } nav a { padding: .35rem 0; }
    article, nav { scroll-margin-top: 6rem; }
  }
`;
