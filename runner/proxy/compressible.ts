/** Which files the proxy sends compressed: those of static sites are compressed at their deployment, those of apps with each answer. Pure. */

/** Text, and formats that are not compressed. Images, fonts of the web, archives and media are compressed already. */
export const compressibleEndings: readonly string[] = [
  ...[
    'html',
    'htm',
    'css',
    'js',
    'mjs',
    'cjs',
    'json',
    'map',
    'svg',
    'xml',
    'txt',
    'md',
    'csv',
    'webmanifest',
  ],
  ...['jsonld', 'geojson', 'rss', 'atom', 'ics', 'vtt', 'ftl', 'yaml', 'yml', 'wasm', 'ttf', 'otf', 'eot'],
  ...['ico', 'bmp', 'gltf', 'obj', 'stl'],
];

/** Smaller files fit into one packet, compressed or not. */
export const bytesMin = 1_024;
