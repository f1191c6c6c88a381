/** What an import by URL promises of every engine: two real servers, of which one is only read. A file per engine gives its fixture. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { UrlSourceKind } from '../../../../../protocol/import-source.ts';
import { testId } from '../../../../support/docker/docker-host.ts';
import { abortedAt, type Database, type RunOptions } from '../../../../support/docker/use-databases.ts';
import { testContext } from '../../../../support/runner/job-context.ts';

export interface ImportFixture {
  /** The database that is filled. */
  target: Database;
  source: UrlSourceKind;
  /** To the filled source; to another host, or with another password. */
  url(other?: { host?: string; password?: string }): string;
  /** Removes all data of the target. */
  empty(): Promise<unknown>;
  /** Puts 2 rows in 1 table of their own into the target. */
  putMine(): Promise<unknown>;
  /** Names of what the target holds: `mine` after `putMine`, `imported` and no `mine` after an import. */
  holds(): Promise<string[]>;
  mine: string[];
  imported: string[];
  /** Asserts that the target holds and does all that the source does, and that the source is as it was filled. */
  expectImported(): Promise<void>;
  /** Other ways to write a private address. */
  privateHosts?: string[];
  /** What is refused even where private addresses are allowed. */
  refusedHosts: string[];
  /** The server's words about a wrong password. */
  wrongPassword: { code: 'import_failed' | 'import_refused'; words: RegExp };
  /** To a database of the source's server that holds nothing, or is not there; undefined: its server refuses the connection. */
  emptyUrl?(): string;
  /** Of an engine whose import can be watched: what shows that rows are copied, and the programs that read the source. */
  copying?: {
    /** Makes the copy take longer than any look at it. @returns ends that */
    slowDown?(): Promise<() => Promise<unknown>>;
    begun(): Promise<unknown[]>;
    reading(): Promise<unknown[]>;
  };
}

const secret = 'tell-nobody/this';
const replacing = () => ({ safetyBackupId: testId('backup') });

/** Run inside a test file of the engine. */
export function importContract(fixture: ImportFixture): void {
  const { target, source, holds, putMine, url, mine, imported, wrongPassword, emptyUrl, copying } = fixture;
  const spec = (more = {}) => target.importSpec({ source, ...more });
  const run = (of = spec(), options: RunOptions = {}) => target.run(of, { sourceUrl: url(), ...options });
  async function expectNothingChanged(): Promise<void> {
    expect(await holds()).toEqual([]);
    expect(await target.belongings()).toEqual(target.alone());
  }

  beforeEach(async () => {
    await target.removeOldData();
    await fixture.empty();
  });

  describe('import', () => {
    test('an import brings everything and leaves the source as it was', async () => {
      const context = testContext();
      expect(await run(spec(), { context })).toMatchObject({ outcome: 'succeeded' });
      expect(context.phases.map(({ phase }) => phase)).toEqual(
        expect.arrayContaining(['safeguard', 'load', 'prove', 'switch']),
      );
      expect(await holds()).toEqual(expect.arrayContaining(imported));
      await fixture.expectImported();
      await target.removeOldData();
      expect(await target.belongings()).toEqual(target.alone());
    });

    test('an import into a database that holds data is refused with its size, and leaves it there', async () => {
      await putMine();
      expect(await run()).toMatchObject({
        code: 'import_refused',
        message: expect.stringMatching(/has 2 rows in 1 tables.*"replace": true/),
      });
      expect(await holds()).toEqual(mine);
    });

    test('an import that may replace backs up what is there first', async () => {
      await putMine();
      expect(await run(spec(replacing()))).toMatchObject({
        outcome: 'succeeded',
        facts: { archive: { tables: 1, rows: 2 } },
      });
      const held = await holds();
      expect(held).toEqual(expect.arrayContaining(imported));
      expect(held.filter((name) => mine.includes(name))).toEqual([]);
    });

    test('a private address is refused where the operator has not allowed it', async () => {
      const parts = { allowPrivateImports: false };
      const urls = [url(), ...(fixture.privateHosts ?? []).map((host) => url({ host }))];
      for (const sourceUrl of urls)
        expect(await run(spec(), { sourceUrl, parts })).toMatchObject({
          code: 'import_refused',
          message: expect.stringMatching(/private address.*LONGSHORE_ALLOW_PRIVATE=import/),
        });
    });

    test.each(fixture.refusedHosts)(
      'the host %s is always refused: each machine means itself by it',
      async (host) => {
        expect(await run(spec(), { sourceUrl: url({ host }) })).toMatchObject({
          code: 'import_refused',
          message: expect.stringMatching(/a different server on every machine/),
        });
      },
    );

    test("a wrong password is reported in the server's words, never shown, and changes nothing", async () => {
      const ended = await run(spec(), { sourceUrl: url({ password: secret }) });
      expect(ended).toMatchObject({
        code: wrongPassword.code,
        message: expect.stringMatching(wrongPassword.words),
      });
      expect(JSON.stringify(ended)).not.toMatch(/tell-nobody/);
      expect(ended).toMatchObject({ message: expect.stringMatching(/Nothing was changed\.$/) });
      await expectNothingChanged();
    });

    if (emptyUrl) {
      test('a source that holds nothing is refused, even by an import that may replace', async () => {
        await putMine();
        expect(await run(spec(replacing()), { sourceUrl: emptyUrl() })).toMatchObject({
          code: 'import_refused',
          // ClickHouse sees it before it loads, the others when they count what was loaded.
          message: expect.stringMatching(
            /^The (source contains no data \(database \w+\)\. |database \w+ of the source is empty, ).*othing was changed\.$/,
          ),
        });
        expect(await holds()).toEqual(mine);
        expect(await target.belongings()).toEqual(target.alone());
      });
    }

    test('an import that is aborted when it begins to load changes nothing', async () => {
      const ended = await run(spec(), { context: abortedAt('load') });
      expect(ended).toMatchObject({ outcome: 'threw', message: 'job stopped: aborted' });
      await expectNothingChanged();
    });

    if (copying) {
      test('an import that is aborted in the middle of the copy ends both programs and changes nothing', async () => {
        const context = testContext();
        const release = await copying.slowDown?.();
        try {
          const running = run(spec(), { context });
          await expect.poll(copying.begun, { interval: 10, timeout: 300_000 }).not.toEqual([]);
          context.abort();
          expect((await running).outcome).toBe('threw');
          await expect.poll(copying.reading).toEqual([]);
        } finally {
          await release?.();
        }
        await expectNothingChanged();
      });
    }

    test('an import without permission to switch changes nothing', async () => {
      const context = testContext({ grant: () => false });
      expect(await run(spec(), { context })).toMatchObject({ code: 'switch_denied' });
      await expectNothingChanged();
    });

    test('an import whose runner dies before the exchange changes nothing', async () => {
      const dying = spec();
      await target.runUntilSwitch(dying, { sourceUrl: url() });
      expect(await target.recover(dying)).toMatchObject({ code: 'runner_restarted' });
      await expectNothingChanged();
    });

    test('an import whose runner dies after the exchange has succeeded', async () => {
      const done = spec();
      expect(await run(done)).toMatchObject({ outcome: 'succeeded' });
      expect(await target.recover(done)).toMatchObject({ outcome: 'succeeded' });
      expect(await holds()).toEqual(expect.arrayContaining(imported));
    });
  });
}
