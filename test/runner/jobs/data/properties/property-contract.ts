/** Each claim of the property table, proven by a backup and a restore with the real server. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../../support/docker/use-databases.ts';
import { claimsOf, type Outcome, type Property, type TableEngine } from './table.ts';

/**
 * How a claim is proven. A function reads what has to be equal before and after the restore. An expression finds the sentence in `notKept`.
 * What needs another server has a test elsewhere.
 */
export type Proof = ((of: Database) => Promise<unknown>) | RegExp | { file: string; test: string };
export type Proofs = Partial<Record<Property, Partial<Record<Outcome, Proof>>>>;

export interface PropertyFixture {
  engine: TableEngine;
  server: Database;
  /** Another service, with the same variables. */
  elsewhere: Database;
  proofs: Proofs;
  /** Puts everything into the server that the proofs read. */
  fill(): Promise<unknown>;
  /**
   * Writes while the backup is taken, again and again. Each time it adds one to two places at once, so a backup of one moment holds the same
   * number in both.
   */
  addToBoth(): Promise<unknown>;
}

/** `remade` is compared, too: what is made again has to be equal in what the proof reads. */
const restoredInto: Partial<Record<Outcome, 'server' | 'elsewhere'>> = {
  kept: 'elsewhere',
  remade: 'elsewhere',
  same: 'server',
};

/** Run inside a `describe` or a file of the engine. */
export function propertyContract({
  engine,
  server,
  elsewhere,
  proofs,
  fill,
  addToBoth,
}: PropertyFixture): void {
  const claims = claimsOf(engine);
  const proofOf = ({ property, outcome }: (typeof claims)[number]) => proofs[property]?.[outcome];
  const readings = claims.filter((claim) => typeof proofOf(claim) === 'function');
  const before = new Map<string, unknown>();
  const after = new Map<string, unknown>();
  let notKept: readonly string[] = [];

  const readAll = async (into: Map<string, unknown>, from: (outcome: Outcome) => Database) => {
    for (const claim of readings) {
      const proof = proofOf(claim);
      if (typeof proof === 'function') into.set(keyOf(claim), await proof(from(claim.outcome)));
    }
  };

  describe(`${engine} keeps what the table of properties says`, () => {
    beforeAll(async () => {
      await fill();
      await readAll(before, () => server);
      const backup = await whileAdding(addToBoth, () => server.backUp());
      notKept = (backup as { notKept?: readonly string[] }).notKept ?? [];
      const into = { server, elsewhere };
      for (const of of [server, elsewhere])
        expect(await of.run(of.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
      await readAll(after, (outcome) => into[restoredInto[outcome] ?? 'elsewhere']);
    }, 400_000);

    test('every claim has a proof, and every proof a claim', () => {
      const proven = Object.entries(proofs).flatMap(([property, by]) =>
        Object.keys(by ?? {}).map((outcome) => `${property}: ${outcome}`),
      );
      expect(proven.sort()).toEqual(claims.map(keyOf).sort());
      for (const claim of claims) {
        const proof = proofOf(claim);
        if (proof && 'file' in proof)
          expect(readFileSync(new URL(`../../../../../${proof.file}`, import.meta.url), 'utf8')).toContain(
            `test('${proof.test}'`,
          );
      }
    });

    test.each(readings)('$property: $outcome', (claim) => {
      const was = before.get(keyOf(claim));
      expect(was, 'there is nothing that could be lost').not.toSatisfy(isEmpty);
      expect(after.get(keyOf(claim))).toEqual(was);
    });

    test.each(claims.filter((claim) => proofOf(claim) instanceof RegExp))('$property: $outcome', (claim) => {
      expect(notKept).toContainEqual(expect.stringMatching(proofOf(claim) as RegExp));
    });
  });
}

async function whileAdding<T>(add: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  let count = 0;
  const adding = (async () => {
    for (; !isOver; count++) await add();
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await adding;
    expect(count).toBeGreaterThan(1);
  }
}

const keyOf = ({ property, outcome }: { property: string; outcome: string }) => `${property}: ${outcome}`;

const isEmpty = (value: unknown): boolean =>
  value === '' || value === null || value === undefined || (Array.isArray(value) && value.every(isEmpty));
