/**
 * The types of a static site's files by their endings. Caddy would use Go's short table and what the machine has installed (`/etc/mime.types`),
 * so the same site would be sent differently by two hosts. Pure.
 */

const text = (subtype: string) => `text/${subtype}; charset=utf-8`;

/** IANA's registry, https://www.iana.org/assignments/media-types; JavaScript: RFC 9239. */
const mediaTypes: Record<string, string[]> = {
  [text('html')]: ['html', 'htm'],
  [text('css')]: ['css'],
  [text('javascript')]: ['js', 'mjs', 'cjs'],
  [text('plain')]: ['txt', 'text', 'log', 'ftl', 'ini', 'conf', 'po', 'glsl', 'vert', 'frag', 'wgsl'],
  [text('markdown')]: ['md', 'markdown', 'mdx'],
  [text('csv')]: ['csv'],
  [text('tab-separated-values')]: ['tsv'],
  [text('calendar')]: ['ics'],
  [text('vcard')]: ['vcf'],
  [text('vtt')]: ['vtt'],
  [text('xml')]: ['xml', 'xsl', 'xslt'],
  'application/json': ['json', 'map', 'json5'],
  'application/jsonl': ['jsonl', 'ndjson'],
  'application/ld+json': ['jsonld'],
  'application/geo+json': ['geojson'],
  'application/manifest+json': ['webmanifest'],
  'application/feed+json': ['jsonfeed'],
  'application/yaml': ['yaml', 'yml'],
  'application/toml': ['toml'],
  'application/rss+xml': ['rss'],
  'application/atom+xml': ['atom'],
  'application/xhtml+xml': ['xhtml'],
  'application/wasm': ['wasm'],
  'application/pdf': ['pdf'],
  'application/rtf': ['rtf'],
  'application/epub+zip': ['epub'],
  'application/zip': ['zip'],
  'application/gzip': ['gz', 'tgz'],
  'application/zstd': ['zst'],
  'application/x-tar': ['tar'],
  'application/x-bzip2': ['bz2'],
  'application/x-xz': ['xz'],
  'application/x-7z-compressed': ['7z'],
  'application/vnd.android.package-archive': ['apk'],
  'application/x-apple-diskimage': ['dmg'],
  'application/octet-stream': ['bin', 'data', 'onnx', 'pck', 'exe', 'msi', 'deb', 'rpm'],
  'application/vnd.apple.mpegurl': ['m3u8'],
  'application/dash+xml': ['mpd'],
  'application/vnd.ms-fontobject': ['eot'],
  'application/msword': ['doc'],
  'application/vnd.ms-excel': ['xls'],
  'application/vnd.ms-powerpoint': ['ppt'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['docx'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['xlsx'],
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': ['pptx'],
  'application/vnd.oasis.opendocument.text': ['odt'],
  'application/vnd.oasis.opendocument.spreadsheet': ['ods'],
  'application/vnd.sqlite3': ['sqlite', 'sqlite3'],
  'application/vnd.apache.parquet': ['parquet'],
  'image/svg+xml': ['svg'],
  'image/png': ['png'],
  'image/apng': ['apng'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/gif': ['gif'],
  'image/webp': ['webp'],
  'image/avif': ['avif'],
  'image/jxl': ['jxl'],
  'image/heic': ['heic'],
  'image/heif': ['heif'],
  'image/bmp': ['bmp'],
  'image/tiff': ['tif', 'tiff'],
  'image/x-icon': ['ico', 'cur'],
  'image/ktx2': ['ktx2'],
  'font/woff': ['woff'],
  'font/woff2': ['woff2'],
  'font/ttf': ['ttf'],
  'font/otf': ['otf'],
  'font/collection': ['ttc'],
  'audio/mpeg': ['mp3'],
  'audio/mp4': ['m4a'],
  'audio/aac': ['aac'],
  'audio/ogg': ['ogg', 'oga', 'opus'],
  'audio/wav': ['wav'],
  'audio/flac': ['flac'],
  'audio/midi': ['mid', 'midi'],
  'video/mp4': ['mp4', 'm4v'],
  'video/webm': ['webm'],
  'video/ogg': ['ogv'],
  'video/quicktime': ['mov'],
  'video/mp2t': ['ts'],
  'video/x-matroska': ['mkv'],
  'model/gltf-binary': ['glb'],
  'model/gltf+json': ['gltf'],
  'model/obj': ['obj'],
  'model/mtl': ['mtl'],
  'model/stl': ['stl'],
  'model/vnd.usdz+zip': ['usdz'],
};

/** Ending without a dot, in lower case, to the type. */
const mediaTypeOf: ReadonlyMap<string, string> = new Map(
  Object.entries(mediaTypes).flatMap(([type, endings]) => endings.map((ending) => [ending, type] as const)),
);

/** Files without an ending whose readers require a type: https://developer.apple.com/documentation/xcode/supporting-associated-domains */
const untypedNames = ['/apple-app-site-association', '/.well-known/apple-app-site-association'];

const variable = '{longshore_media_type}';
const ending = 'longshore_ending';

/** Routes that are not terminal: they set the type of the file of the request's path. An unknown ending leaves the type to Caddy. */
export function mediaTypeRoutes() {
  const setType = { handler: 'headers', response: { set: { 'Content-Type': [variable] } } };
  const mappings = [...mediaTypeOf].flatMap(([name, type]) =>
    [...new Set([name, name.toUpperCase()])].map((input) => ({ input, outputs: [type] })),
  );
  return [
    {
      match: [
        {
          vars_regexp: {
            '{http.request.uri.path}': { name: ending, pattern: String.raw`\.([A-Za-z0-9]+)$` },
          },
        },
      ],
      terminal: false,
      handle: [
        {
          handler: 'map',
          source: `{http.regexp.${ending}.1}`,
          destinations: [variable],
          mappings,
          defaults: [''],
        },
        setType,
      ],
    },
    {
      match: [{ path: untypedNames }],
      terminal: false,
      handle: [{ handler: 'headers', response: { set: { 'Content-Type': ['application/json'] } } }],
    },
  ];
}
