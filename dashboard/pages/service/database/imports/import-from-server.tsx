/** Asks for the address of another server, and whether its data may replace that of the database. The address is sent once and not stored. */
import { createSignal } from 'solid-js';
import { api } from '../../../../api/client.ts';
import type { Overview } from '../../../../api/queries.ts';
import { queries } from '../../../../api/query-client.ts';
import { t } from '../../../../text/text.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { CheckField, TextField } from '../../../../ui/field.tsx';
import { createSaving } from '../../../../ui/saving.ts';
import { Show } from '../../../../ui/show.ts';
import { say } from '../../../../ui/toasts.tsx';
import { importsText } from '../imports-text.ts';
import type { Engine } from '../table-types.ts';

interface ImportFromServerProps {
  engine: Engine;
  service: Overview['service'];
  onClose(): void;
}

interface Wanted {
  sourceUrl: string;
  replace: boolean;
  /** Only PostgreSQL's tool can continue after an object that it can't load. */
  continueOnError: boolean;
}

const isPostgres = (engine: Engine) => engine === 'postgres' || engine === 'timescale';

function startImport(
  engine: Engine,
  serviceId: string,
  { continueOnError, ...body }: Wanted,
): Promise<unknown> {
  const params = { serviceId };
  switch (engine) {
    case 'mysql':
      return api.call('POST /api/services/:serviceId/database/import/mysql-url', { params, body });
    case 'redis':
      return api.call('POST /api/services/:serviceId/database/import/redis-url', { params, body });
    case 'mongodb':
      return api.call('POST /api/services/:serviceId/database/import/mongodb-url', { params, body });
    case 'clickhouse':
      return api.call('POST /api/services/:serviceId/database/import/clickhouse-url', { params, body });
    default:
      return api.call('POST /api/services/:serviceId/database/import/postgres-url', {
        params,
        body: { ...body, continueOnError },
      });
  }
}

/** Shows what would be read, so that a mistake is visible although the address is hidden; undefined: not an address yet. */
function readOf(address: string): string | undefined {
  try {
    const { host, pathname, username } = new URL(address.trim());
    const [database, user] = [pathname.slice(1), username].map(decodeURIComponent);
    return host === '' ? undefined : importsText.reads(host, database ?? '', user ?? '');
  } catch {
    return undefined;
  }
}

export function ImportFromServer(props: ImportFromServerProps) {
  const [wanted, setWanted] = createSignal<Wanted>({ sourceUrl: '', replace: false, continueOnError: false });
  const [typed, setTyped] = createSignal('');
  const fields = ['sourceUrl', 'replace'];
  const { isBusy, failureAt, save } = createSaving((name) => fields.includes(name));
  const change = (part: Partial<Wanted>) => setWanted((now) => ({ ...now, ...part }));
  const { id, name } = props.service;
  const mayStart = () =>
    wanted().sourceUrl.trim() !== '' && (!wanted().replace || typed().trim() === name.trim());
  const submit = async () => {
    if (!mayStart()) return;
    const body = { ...wanted(), sourceUrl: wanted().sourceUrl.trim() };
    const isStarted = await save(() => startImport(props.engine, id, body));
    if (!isStarted) return;
    say(importsText.serverStarted);
    props.onClose();
    // The replaced data is backed up first, and the list of backups shows it.
    await Promise.all(
      ['imports', 'backups'].map((kind) => queries.invalidateQueries({ queryKey: [kind, id] })),
    );
  };
  return (
    <Dialog title={importsText.importTitle(name)} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p class="quiet-text">{importsText.serverHelp}</p>
        <TextField
          label={importsText.address}
          help={readOf(wanted().sourceUrl) ?? importsText.addressHelp(importsText.examples[props.engine])}
          type="password"
          mono
          required
          autofocus
          failure={failureAt('sourceUrl')}
          value={wanted().sourceUrl}
          onInput={(sourceUrl) => change({ sourceUrl })}
        />
        <Show when={isPostgres(props.engine)}>
          <CheckField
            label={importsText.leaveOut}
            help={importsText.leaveOutHelp}
            checked={wanted().continueOnError}
            onInput={(continueOnError) => change({ continueOnError })}
          />
        </Show>
        <CheckField
          label={importsText.replaceData}
          help={`${importsText.replaces[props.engine]} ${importsText.replaceSafety}`}
          failure={failureAt('replace') && `${importsText.notEmpty} ${importsText.tickReplace}`}
          checked={wanted().replace}
          onInput={(replace) => change({ replace })}
        />
        <Show when={wanted().replace}>
          <TextField label={t.typeName(name)} value={typed()} onInput={setTyped} />
        </Show>
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button
            kind={wanted().replace ? 'danger' : 'primary'}
            type="submit"
            busy={isBusy()}
            disabled={!mayStart()}
          >
            {importsText.start}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
