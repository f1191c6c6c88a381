/** One backup: its contents, whether it was proven, and its current work. */
import { createSignal } from 'solid-js';
import { Age, exactTime } from '../../../ui/age.tsx';
import { Button } from '../../../ui/button.tsx';
import { TrashIcon } from '../../../ui/icons.tsx';
import { startedByText } from '../../../ui/initiator-text.ts';
import { saveFile } from '../../../ui/save-file.ts';
import { Show } from '../../../ui/show.ts';
import { sizeText } from '../../../ui/size.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { backupsText } from '../backups-text.ts';
import type { Backup } from './backup.ts';
import { abortRunning, type BackupSource, isBusy } from './backup-source.ts';
import { RemoveBackup } from './remove-backup.tsx';
import { removeBackupText } from './remove-backup-text.ts';

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
      say(backupsText.proveStarted[props.source.of]);
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
        <span class={`tag state-${backup().status}`}>{backupsText.states[backup().status]}</span>
        <p class="quiet-text facts-line">
          <span>
            {[backupsText.triggers[backup().trigger], startedByText(backup().startedBy)]
              .filter(Boolean)
              .join(' ')}
          </span>
          <span>{backupsText.storage[backup().storage]}</span>
          <Show when={backup().sizeBytes > 0}>
            <span>{sizeText(backup().sizeBytes)}</span>
          </Show>
          <Show when={contentOf(backup())}>{(text) => <span>{text()}</span>}</Show>
          <span>
            <Show when={backup().lastProvenAt} fallback={backupsText.neverProven}>
              {(at) => (
                <>
                  {backupsText.proven} <Age at={at()} />
                </>
              )}
            </Show>
          </span>
          <Show when={backup().restore?.state === 'succeeded' && backup().restore}>
            {(restore) => (
              <span>
                {restore().serviceId === backup().serviceId
                  ? backupsText.restored
                  : backupsText.restoredElsewhere}{' '}
                <Age at={restore().finishedAt ?? restore().createdAt} />
              </span>
            )}
          </Show>
          <Show when={madeFor()}>
            {(other) => (
              <span>
                <a href={`#${other().id}`}>{backupsText.madeFor(exactTime(other().createdAt))}</a>
              </span>
            )}
          </Show>
        </p>
        <Progress backup={backup()} />
        <Show when={backup().notKept.length > 0}>
          <p class="warning">
            {backupsText.notKept}: {backup().notKept.join(' ')}
          </p>
        </Show>
      </div>
      <div class="actions">
        <Show when={props.mayWrite && isBusy(backup())}>
          <Button class="small" onClick={() => void abort()}>
            {backupsText.abort}
          </Button>
        </Show>
        <Show when={isDone() && backup().sizeBytes <= downloadMax && props.mayWrite}>
          <Button
            class="small"
            aria-label={backupsText.downloadLabel(made())}
            onClick={() => void download()}
          >
            {backupsText.download}
          </Button>
        </Show>
        <Show when={isDone() && props.mayWrite}>
          <Button class="small" aria-label={backupsText.proveLabel(made())} onClick={() => void prove()}>
            {backupsText.prove}
          </Button>
          <Button
            kind="danger"
            class="small"
            aria-label={backupsText.restoreLabel(made())}
            onClick={props.onRestore}
          >
            {backupsText.restore}
          </Button>
        </Show>
        <Show when={props.mayRemove && !isBusy(backup())}>
          <Button
            kind="quiet"
            class="small"
            icon={TrashIcon}
            aria-label={removeBackupText.label(made())}
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
  if ('entries' in backup) return backup.entries === null ? '' : backupsText.entries(backup.entries);
  return backup.tables === null ? '' : backupsText.tablesRows(backup.tables, backup.rows ?? 0);
}

/** The progress of running work, and the reason of the last failure of each kind. */
function Progress(props: { backup: Backup }) {
  const steps = () => {
    const { status, progress, error, restore, drill } = props.backup;
    return [
      { name: backupsText.itself, state: status, progress, error },
      ...(restore ? [{ name: backupsText.lastRestore, ...restore }] : []),
      ...(drill ? [{ name: backupsText.prove, ...drill }] : []),
    ].filter(({ state, error: why }) => state === 'running' || why);
  };
  return (
    <>
      {steps().map(({ name, state, progress, error }) => (
        <p
          classList={{ 'field-failure': state === 'failed' }}
          role={state === 'running' ? 'status' : undefined}
        >
          {name}: {backupsText.states[state]}
          {state === 'running' && progress ? ` ${backupsText.progress(progress.done, progress.total)}` : ''}
          {error ? `. ${error}` : ''}
        </p>
      ))}
    </>
  );
}
