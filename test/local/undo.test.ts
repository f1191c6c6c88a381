import { expect, test } from 'vitest';
import { undoStack } from '../../local/undo.ts';

test('undo steps run in reverse order, each once, and a failed one does not stop the others', async () => {
  const ran: string[] = [];
  const failed: string[] = [];
  const undo = undoStack((name) => void failed.push(name));
  undo.add('first', () => void ran.push('first'));
  undo.add('second', () => Promise.reject(new Error('no')));
  undo.add('third', async () => void ran.push('third'));
  await undo.run();
  await undo.run();
  expect(ran).toEqual(['third', 'first']);
  expect(failed).toEqual(['second']);
});

test('a step that is added while the undos run is undone too', async () => {
  const ran: string[] = [];
  const undo = undoStack(() => {});
  undo.add('first', () => undo.add('late', () => void ran.push('late')));
  await undo.run();
  expect(ran).toEqual(['late']);
});
