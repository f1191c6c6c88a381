/**
 * Streams and emitters whose `error` event has no listener: Node then ends the process, and with it everybody's jobs. What makes one must
 * be given to `pipeline`, read by `for await`, or get a listener in the same file. What is returned or passed on is its receiver's matter.
 * `// stream errors: <reason>` on the line, or the line before, excepts one.
 */
import type { SourceFile } from './source-file.ts';
import { type Node, textOf, walk } from './walk.ts';

/** What makes an emitter of `error`, by the module that it is imported from. `Name.method` stands for a call of that method. */
const makers: Record<string, readonly string[]> = {
  'node:stream': [
    ...['PassThrough', 'Transform', 'Writable', 'Readable', 'Duplex'],
    ...['Readable.from', 'Readable.fromWeb', 'Duplex.from'],
  ],
  'node:fs': ['createReadStream', 'createWriteStream'],
  'node:zlib': [
    ...['createGzip', 'createGunzip', 'createInflate', 'createDeflate', 'createUnzip'],
    ...['createBrotliCompress', 'createBrotliDecompress', 'createZstdCompress', 'createZstdDecompress'],
  ],
  'node:http': ['request', 'get', 'createServer'],
  'node:https': ['request', 'get', 'createServer'],
  'node:http2': ['connect', 'createServer', 'createSecureServer', 'performServerHandshake'],
  'node:net': ['connect', 'createConnection', 'createServer', 'Socket'],
  'node:tls': ['connect', 'createServer', 'TLSSocket'],
  'node:child_process': ['spawn', 'fork'],
  'node:worker_threads': ['Worker'],
  'tar-stream': ['extract', 'pack'],
  'tar-fs': ['extract', 'pack'],
  mysql2: ['createConnection'],
  pg: ['Client', 'Pool', 'default.Client', 'default.Pool'],
};
/** They pass on what they are built on. */
const sameAs: Record<string, string> = {
  'runner/base/node-http.ts': 'node:http',
  'local/instance/builtin-http.ts': 'node:http',
};
/** Methods of dockerode that give a stream, whatever they are called on. */
const dockerMethods = ['getArchive', 'getEvents', 'buildImage', 'loadImage', 'importImage', 'createImage'];
/** They listen to the errors of what they are given, as long as they read or write it. */
const guards = [
  'Readable.from',
  'pipeline',
  'finished',
  'buffer',
  'text',
  'json',
  'arrayBuffer',
  'blob',
  'compose',
];
const listening = ['on', 'once', 'addListener', 'prependListener'];
/** Events whose listener gets a stream that has no other listener: the argument's place. */
const givers: Record<string, number> = { entry: 1, upgrade: 1, connection: 0, secureConnection: 0 };
/** Most files can't hold any, and a walk through all of them takes seconds. */
const mayHold =
  /node:(stream|fs|zlib|http|https|http2|net|tls|child_process|worker_threads)'|-http\.ts'|tar-stream|tar-fs|mysql2|'pg'|\.destroy\(\w|getArchive|getEvents|Image\(|on(ce)?\('(entry|upgrade|connection)/;
const except = /^\s*stream errors: \S.{9,}/;

/** One sentence for each emitter of `error` in this file that nobody listens to. */
export function streamViolations(file: SourceFile): string[] {
  if (!mayHold.test(file.text)) return [];
  const tree = [...walk(file.program)];
  const makerNames = importedMakers(file.path, tree);
  const guarded = guardedNames(tree);
  const excepted = exceptedLines(file);
  const lineOf = (node: Node) => file.text.slice(0, node.start).split('\n').length;
  const found: { node: Node; what: string }[] = [];
  for (const node of tree) {
    const what = madeBy(node, makerNames);
    if (what !== undefined) {
      const use = useOf(node);
      if (use === 'left' || (typeof use === 'object' && !guarded.has(scoped(use.name, node))))
        found.push({ node, what: `makes a stream with ${what}, whose errors nobody listens to` });
      if (typeof use === 'object' && isSpawn(what)) {
        const pipes = ['stdin', 'stdout', 'stderr'].map((name) => `${use.name}.${name}`);
        const used = tree.filter((one) => one.type === 'MemberExpression' && pipes.includes(textOf(one)));
        for (const pipe of new Set(used.map(textOf)))
          if (!guarded.has(scoped(pipe, node)))
            found.push({ node, what: `uses ${pipe}, whose errors nobody listens to` });
      }
    }
    const broken = brokenBy(node);
    if (broken && !guarded.has(scoped(broken, node)))
      found.push({ node, what: `destroys ${broken} with an error, which nobody listens to` });
    const given = givenBy(node);
    if (given && !guarded.has(scoped(given.name, node)))
      found.push({
        node,
        what: `gets the stream ${given.name} of "${given.event}", whose errors nobody listens to`,
      });
  }
  return found
    .map(({ node, what }) => ({ line: lineOf(node), what }))
    .filter(({ line }) => !excepted.has(line))
    .map(({ line, what }) => `${file.path}:${line} ${what}`);
}

/** The lines of the comments and those after them. */
function exceptedLines({ text, comments }: SourceFile): Set<number> {
  const lines = comments
    .filter(({ value }) => except.test(value))
    .map(({ end }) => text.slice(0, end).split('\n').length);
  return new Set(lines.flatMap((line) => [line, line + 1]));
}

/** Local names of makers. */
function importedMakers(path: string, tree: readonly Node[]): Map<string, string> {
  const found = new Map<string, string>();
  const add = (module: string, imported: string, local: string) => {
    const known = makers[module] ?? [];
    if (known.includes(imported)) found.set(local, imported);
    for (const one of known)
      if (one.startsWith(`${imported}.`)) found.set(`${local}${one.slice(imported.length)}`, one);
  };
  for (const node of tree) {
    if (node.type !== 'ImportDeclaration') continue;
    const written: string = node.source.value;
    const own = written.startsWith('.') ? new URL(written, `file:///${path}`).pathname.slice(1) : written;
    for (const specifier of node.specifiers)
      add(sameAs[own] ?? own, specifier.imported?.name ?? 'default', specifier.local.name);
  }
  return found;
}

function madeBy(node: Node, names: ReadonlyMap<string, string>): string | undefined {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined;
  const callee = textOf(node.callee);
  const isClass = /^[A-Z]\w*$/.test(names.get(callee) ?? '');
  if (names.has(callee) && isClass === (node.type === 'NewExpression')) return names.get(callee);
  if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
    const method = node.callee.property.name;
    if (dockerMethods.includes(method)) return method;
    if (method === 'entry' && names.size > 0 && [...names.values()].includes('pack')) return 'pack.entry';
  }
  return undefined;
}

const isSpawn = (what: string) => what === 'spawn' || what === 'fork';

/** What happens to a made stream: somebody listens, it is passed on, it gets a name, or nothing. */
function useOf(made: Node): 'guarded' | 'passed' | 'left' | { name: string } {
  let node = made;
  for (let parent = node.parent; parent; node = parent, parent = node.parent) {
    if (parent.type === 'MemberExpression' && parent.object === node) {
      const call = parent.parent;
      if (call?.type !== 'CallExpression' || call.callee !== parent) return 'left';
      if (isListening(call)) return 'guarded';
      if (parent.property.name === 'then' || parent.property.name === 'catch') return 'passed';
      parent = call;
    } else if (parent.type === 'CallExpression' || parent.type === 'NewExpression') {
      if (parent.callee === node) return 'left';
      if (guards.includes(textOf(parent.callee))) return 'guarded';
      return 'passed';
    } else if (parent.type === 'ArrowFunctionExpression') {
      const call = parent.parent;
      if (call?.type !== 'CallExpression' || textOf(call.callee) !== 'call') return 'passed';
      return 'guarded'; // runner/docker/client.ts listens
    } else if (parent.type === 'VariableDeclarator') {
      return parent.id.type === 'Identifier' ? { name: parent.id.name } : 'passed';
    } else if (parent.type === 'AssignmentExpression') return { name: textOf(parent.left) };
    else if (parent.type === 'PropertyDefinition') return { name: `this.${textOf(parent.key)}` };
    else if (parent.type === 'ForOfStatement') return parent.await ? 'guarded' : 'left';
    else if (parent.type === 'ExpressionStatement') return 'left';
    else if (['ReturnStatement', 'Property', 'ArrayExpression', 'YieldExpression'].includes(parent.type))
      return 'passed';
  }
  return 'left';
}

/** The names whose errors somebody listens to, or that are read to their end by something that does. */
function guardedNames(tree: readonly Node[]): Set<string> {
  const found = new Set<string>();
  for (const node of tree) {
    const add = (name: string) => void found.add(scoped(name, node));
    if (node.type === 'ForOfStatement' && node.await) add(rootOf(node.right));
    if (node.type === 'ReturnStatement' && node.argument) add(rootOf(node.argument));
    if (node.type === 'Property' && node.value) add(textOf(node.value));
    if (node.type === 'MemberExpression' && node.computed && textOf(node.property) === 'Symbol.asyncIterator')
      add(textOf(node.object));
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') continue;
    if (node.type === 'CallExpression' && isListening(node)) add(rootOf(node.callee.object));
    // What a function of ours is given is its matter: it is checked where it is used.
    const isOwn = node.callee.type === 'Identifier' || guards.includes(textOf(node.callee));
    for (const given of node.arguments) if (isOwn || node.type === 'NewExpression') add(rootOf(given));
  }
  return found;
}

/** Members belong to the file; other names to the function, method or class field that stands in it. */
function scoped(name: string, at: Node): string {
  if (name.startsWith('this.')) return name;
  let node = at;
  while (node.parent && !['Program', 'ClassBody', 'ExportNamedDeclaration'].includes(node.parent.type))
    node = node.parent;
  const isOwn = /Function|Class|Method|PropertyDefinition/.test(node.type);
  return `${isOwn ? node.start : 'module'} ${name}`;
}

const isListening = (call: Node) =>
  call.callee.type === 'MemberExpression' &&
  listening.includes(call.callee.property.name) &&
  call.arguments[0]?.value === 'error';

/** `socket` in `socket.setTimeout(1).on(...)` and in `socket as Duplex`. */
function rootOf(node: Node): string {
  if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression')
    return rootOf(node.callee.object);
  if (node.type === 'TSAsExpression' || node.type === 'AwaitExpression')
    return rootOf(node.expression ?? node.argument);
  return textOf(node);
}

/** `stream.destroy(error)`: the stream. */
function brokenBy(node: Node): string | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  if (node.callee.property.name !== 'destroy' || node.arguments.length !== 1) return undefined;
  return textOf(node.callee.object);
}

/** `on('entry', (header, content) => ...)`: its content. */
function givenBy(node: Node): { name: string; event: string } | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  if (!listening.includes(node.callee.property.name)) return undefined;
  const [event, listener] = node.arguments;
  const place = givers[event?.value];
  if (place === undefined || !listener?.params) return undefined;
  const name = listener.params[place]?.name;
  return name === undefined ? undefined : { name, event: event.value };
}
