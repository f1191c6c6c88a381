/** One backup: its contents, whether it was proven, and its current work. */
import { createSignal } from 'solid-js';
import { t } from '../../text/text.ts';
import { Age, exactTime } from '../../ui/age.tsx';
import { Button } from '../../ui/button.tsx';
import { TrashIcon } from '../../ui/icons.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Show } from '../../ui/show.ts';
import { sizeText } from '../../ui/size.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { startedByText } from '../initiator-text.ts';
import { RemoveBackup } from './remove-backup.tsx';
import { abortRunning, type BackupSource, isBusy } from './source.ts';
import type { Backup } from './types.ts';

interface BackupRowProps {
  source: BackupSource;
  backup: Backup;
  /** The name of its volume; undefined: it covers the whole service. */
  name: string | undefined;
  /** All backups: a safety copy links to the backup that was restored. */
  all: readonly Backup[];
  mayWrite: boolean;
  /** Also for backups of deleted volumes. */
  mayRemove: boolean;
  onRestore(): void;
  /** Called when work on the backup began or ended. */
  onChanged(): void;
}

/** A browser keeps a download in memory; larger files are downloaded with the command line. */
const downloadMax = 512 * 1024 ** 2;

export function BackupRow(props: BackupRowProps) {
  const backup = () => props.backup;
  const [isRemoving, setIsRemoving] = createSignal(false);
  const madeFor = () => props.all.find(({ restore }) => restore?.safetyBackupId === backup().id);
  const made = () => exactTime(backup().createdAt);
  const isDone = () => backup().status === 'succeeded' && !isBusy(backup());
  const prove = () =>
    attempt(async () => {
      await props.source.prove(backup().id);
      say(t.backups.proveStarted[props.source.of]);
    }).then(props.onChanged);
  const abort = () => attempt(() => abortRunning(props.source, backup())).then(props.onChanged);
  const download = () =>
    attempt(async () => {
      const file = await (await props.source.download(backup().id)).blob();
      saveFile(`${backup().id}.${backup().format}`, file, 'application/octet-stream');
    });
  return (
    <li id={backup().id}>
      <div>
        <strong>
          <Age at={backup().createdAt} />
        </strong>{' '}
        <Show when={props.name}>{(name) => <span>{name()} </span>}</Show>
        <span class={`tag state-${backup().status}`}>{t.backups.states[backup().status]}</span>
        <p class="quiet-text facts-line">
          <span>
            {[t.backups.triggers[backup().trigger], startedByText(backup().startedBy)]
              .filter(Boolean)
              .join(' ')}
          </span>
          <span>{t.backups.storage[backup().storage]}</span>
          <Show when={backup().sizeBytes > 0}>
            <span>{sizeText(backup().sizeBytes)}</span>
          </Show>
          <Show when={contentOf(backup())}>{(text) => <span>{text()}</span>}</Show>
          <span>
            <Show when={backup().lastProvenAt} fallback={t.backups.neverProven}>
              {(at) => (
                <>
                  {t.backups.proven} <Age at={at()} />
                </>
              )}
            </Show>
          </span>
          <Show when={backup().restore?.state === 'succeeded' && backup().restore}>
            {(restore) => (
              <span>
                {restore().serviceId === backup().serviceId
                  ? t.backups.restored
                  : t.backups.restoredElsewhere}{' '}
                <Age at={restore().finishedAt ?? restore().createdAt} />
              </span>
            )}
          </Show>
          <Show when={madeFor()}>
            {(other) => (
              <span>
                <a href={`#${other().id}`}>{t.backups.madeFor(exactTime(other().createdAt))}</a>
              </span>
            )}
          </Show>
        </p>
        <Progress backup={backup()} />
        <Show when={backup().notKept.length > 0}>
          <p class="warning">
            {t.backups.notKept}: {backup().notKept.join(' ')}
          </p>
        </Show>
      </div>
      <div class="actions">
        <Show when={props.mayWrite && isBusy(backup())}>
          <Button class="small" onClick={() => void abort()}>
            {t.backups.abort}
          </Button>
        </Show>
        <Show when={isDone() && backup().sizeBytes <= downloadMax && props.mayWrite}>
          <Button class="small" aria-label={t.backups.downloadLabel(made())} onClick={() => void download()}>
            {t.backups.download}
          </Button>
        </Show>
        <Show when={isDone() && props.mayWrite}>
          <Button class="small" aria-label={t.backups.proveLabel(made())} onClick={() => void prove()}>
            {t.backups.prove}
          </Button>
          <Button
            kind="danger"
            class="small"
            aria-label={t.backups.restoreLabel(made())}
            onClick={props.onRestore}
          >
            {t.backups.restore}
          </Button>
        </Show>
        <Show when={props.mayRemove && !isBusy(backup())}>
          <Button
            kind="quiet"
            class="small"
            icon={TrashIcon}
            aria-label={t.removeBackup.label(made())}
            onClick={() => setIsRemoving(true)}
          />
        </Show>
      </div>
      <Show when={isRemoving()}>
        <RemoveBackup
          source={props.source}
          backup={backup()}
          all={props.all}
          onClose={() => setIsRemoving(false)}
        />
      </Show>
    </li>
  );
}

/** The size of its contents in words; empty until it is known. */
function contentOf(backup: Backup): string {
  if ('entries' in backup) return backup.entries === null ? '' : t.backups.entries(backup.entries);
  return backup.tables === null ? '' : t.backups.tablesRows(backup.tables, backup.rows ?? 0);
}

/** The progress of running work, and the reason of the last failure of each kind. */
function Progress(props: { backup: Backup }) {
  const steps = () => {
    const { status, progress, error, restore, drill } = props.backup;
    return [
      { name: t.backups.itself, state: status, progress, error },
      ...(restore ? [{ name: t.backups.lastRestore, ...restore }] : []),
      ...(drill ? [{ name: t.backups.prove, ...drill }] : []),
    ].filter(({ state, error: why }) => state === 'running' || why);
  };
  return (
    <>
      {steps().map(({ name, state, progress, error }) => (
        <p
          classList={{ 'field-failure': state === 'failed' }}
          role={state === 'running' ? 'status' : undefined}
        >
          {name}: {t.backups.states[state]}
          {state === 'running' && progress ? ` ${t.backups.progress(progress.done, progress.total)}` : ''}
          {error ? `. ${error}` : ''}
        </p>
      ))}
    </>
  );
}
