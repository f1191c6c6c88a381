/** What must not be written at all: shells on the host, and clock, chance or I/O in the pure layers. */
import { type ParseResult, Visitor } from 'oxc-parser';
import type { SourceFile } from './source-file.ts';

type Program = ParseResult['program'];

const shellNames = /(^|\/)(sh|bash|dash|zsh)$/;

/** Shells: `exec`, `execSync`, `shell: true`, `sh -c`. Arguments travel as arrays, so there is nothing to quote. */
export function shellViolations({ path, program }: SourceFile): string[] {
  const found: string[] = [];
  new Visitor({
    ImportDeclaration(node) {
      if (!/^(node:)?child_process$/.test(node.source.value)) return;
      for (const specifier of node.specifiers) {
        if (specifier.type !== 'ImportSpecifier')
          found.push('imports child_process whole; name what is used');
        else if (['exec', 'execSync'].includes(nameOf(specifier.imported)))
          found.push('imports exec, which runs a shell');
      }
    },
    Property(node) {
      if (nameOf(node.key) !== 'shell') return;
      if (node.value.type === 'Literal' && node.value.value === false) return;
      found.push('sets the option "shell"');
    },
    ArrayExpression(node) {
      const texts = node.elements.map(textOf);
      if (texts.some((text, index) => shellNames.test(text) && texts[index + 1] === '-c'))
        found.push('runs sh -c');
    },
    CallExpression(node) {
      const [program, list] = node.arguments;
      if (!shellNames.test(textOf(program)) || list?.type !== 'ArrayExpression') return;
      if (textOf(list.elements[0]) === '-c') found.push('runs sh -c');
    },
  }).visit(program);
  return found.map((what) => `${path} ${what}`);
}

/** Members that make a function's result depend on more than its arguments. */
const impureMembers = [
  'Date.now',
  'Math.random',
  'performance.now',
  'crypto.getRandomValues',
  'crypto.randomUUID',
];
const impureCalls = ['fetch', 'setTimeout', 'setInterval', 'queueMicrotask'];

/** Clock, chance, timers and the network, which `domain` and `protocol` are given as arguments instead. */
export function impurityViolations({ path, program }: SourceFile): string[] {
  const found: string[] = [];
  new Visitor({
    MemberExpression(node) {
      const name = `${nameOf(node.object)}.${nameOf(node.property)}`;
      if (impureMembers.includes(name)) found.push(`uses ${name}`);
    },
    CallExpression(node) {
      const name = nameOf(node.callee);
      if (impureCalls.includes(name)) found.push(`calls ${name}`);
    },
    NewExpression(node) {
      if (nameOf(node.callee) === 'Date' && node.arguments.length === 0)
        found.push('asks for the time by new Date()');
    },
  }).visit(program);
  return found.map((what) => `${path} ${what}`);
}

type AnyNode = { type: string; name?: unknown; value?: unknown };

/** The name of an identifier or the text of a literal key; empty for anything else. */
function nameOf(node: AnyNode | Program | null | undefined): string {
  if (node === null || node === undefined) return '';
  if ('name' in node && typeof node.name === 'string') return node.name;
  return textOf(node);
}

function textOf(node: AnyNode | Program | null | undefined): string {
  if (node === null || node === undefined || node.type !== 'Literal') return '';
  return 'value' in node && typeof node.value === 'string' ? node.value : '';
}
