/** The pages for visitors when an app does not answer, or a name has no target: readable on a phone and in the dark. */

const style = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.0625rem/1.55 system-ui,sans-serif;background:Canvas;color:CanvasText}
main{max-width:34rem;padding:2rem 1.5rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .75rem}
p{margin:0 0 .75rem;overflow-wrap:anywhere}
small{opacity:.75}`;

/**
 * A whole HTML page without scripts and other files to load.
 * @param sentences HTML: escape a client's text
 * @param owner a hint for the operator of the app; absent: none
 */
export function visitorPage(title: string, sentences: string, owner?: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body><main>
<h1>${title}</h1>
<p>${sentences}</p>
${owner === undefined ? '' : `<p><small>${owner}</small></p>\n`}</main></body>
</html>
`;
}
