/** A syntax tree as a list of nodes that know their parents. */
import type { ParseResult } from 'oxc-parser';

/** Fields differ by `type`; the rules that read them know which. */
// biome-ignore lint/suspicious/noExplicitAny: the union of all node types has no common fields
export type Node = any;

/** All nodes, each before its children, with `parent` set. */
export function* walk(program: ParseResult['program']): Generator<Node> {
  const waiting: Node[] = [program];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    yield node;
    for (const [key, value] of Object.entries(node)) {
      if (key === 'parent') continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.type !== 'string') continue;
        Object.defineProperty(child, 'parent', { value: node, enumerable: false, writable: true });
        waiting.push(child);
      }
    }
  }
}

/** `this.#socket`, `child.stdin`: names that members hang on; empty for anything else. */
export function textOf(node: Node): string {
  switch (node?.type) {
    case 'Identifier':
      return node.name;
    case 'ThisExpression':
      return 'this';
    case 'PrivateIdentifier':
      return `#${node.name}`;
    case 'ChainExpression':
    case 'TSNonNullExpression':
      return textOf(node.expression);
    case 'MemberExpression': {
      const [object, property] = [textOf(node.object), textOf(node.property)];
      return node.computed || object === '' || property === '' ? '' : `${object}.${property}`;
    }
    default:
      return '';
  }
}
