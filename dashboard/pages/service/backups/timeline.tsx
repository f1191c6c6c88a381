/**
 * Shows when backups were taken, their sizes, which were proven, and which were restored when. The list below has the same information. So for a
 * screen reader this is one sentence, and its marks are links only for pointers.
 */
import { createMemo, For } from 'solid-js';
import { t } from '../../../text/text.ts';
import { exactTime } from '../../../ui/age.tsx';
import { Show } from '../../../ui/show.ts';
import { sizeText } from '../../../ui/size.ts';
import { backupsText } from '../backups-text.ts';
import type { Backup } from './backup.ts';
import { type Bar, type Span, timelineOf } from './timeline-marks.ts';

const percent = (part: number) => `${(100 * part).toFixed(2)}%`;

export function Timeline(props: { backups: readonly Backup[] }) {
  const line = createMemo(() => timelineOf(props.backups, Date.now()));
  const proven = () => props.backups.filter(({ lastProvenAt }) => lastProvenAt).length;
  const restores = () => props.backups.filter(({ restore }) => restore).length;
  return (
    <Show when={line()}>
      {(shown) => (
        <figure class="panel timeline">
          <p class="visually-hidden">{backupsText.timeline(props.backups.length, proven(), restores())}</p>
          <div class="timeline-plot" aria-hidden="true">
            <div class="timeline-bars">
              <For each={shown().bars}>{(bar) => <BackupBar bar={bar} />}</For>
            </div>
            <Show when={shown().spans.length > 0}>
              <div class="timeline-spans" style={{ height: `${18 * shown().lanes}px` }}>
                <For each={shown().spans}>{(span) => <RestoreSpan span={span} />}</For>
              </div>
            </Show>
          </div>
          <p class="timeline-axis" aria-hidden="true">
            <span>{exactTime(new Date(shown().from).toISOString())}</span>
            <span>{t.now}</span>
          </p>
          <figcaption class="timeline-legend">
            <span class="key bar">{backupsText.legend.size}</span>
            <span class="key proven">{backupsText.legend.proven}</span>
            <span class="key failed">{backupsText.legend.failed}</span>
            <span class="key restore">{backupsText.legend.restore}</span>
          </figcaption>
        </figure>
      )}
    </Show>
  );
}

function BackupBar(props: { bar: Bar }) {
  const backup = () => props.bar.backup;
  const title = () =>
    [
      exactTime(backup().createdAt),
      backupsText.states[backup().status],
      backupsText.triggers[backup().trigger],
      ...(backup().sizeBytes > 0 ? [sizeText(backup().sizeBytes)] : []),
      props.bar.isProven ? backupsText.proven : backupsText.neverProven,
    ].join(' · ');
  return (
    <a
      class={`timeline-bar state-${backup().status}`}
      classList={{ proven: props.bar.isProven }}
      href={`#${backup().id}`}
      tabindex="-1"
      title={title()}
      style={{ left: percent(props.bar.at), height: `max(6px, ${percent(props.bar.size)})` }}
    >
      <span class="visually-hidden">{title()}</span>
    </a>
  );
}

function RestoreSpan(props: { span: Span }) {
  const span = () => props.span;
  const title = () =>
    backupsText.restoreOf(
      exactTime(span().backup.createdAt),
      exactTime(span().backup.restore?.createdAt ?? ''),
      backupsText.states[span().state],
    );
  return (
    <a
      class={`timeline-span state-${span().state}`}
      href={`#${span().backup.id}`}
      tabindex="-1"
      title={title()}
      style={{
        left: percent(span().from),
        width: `max(10px, ${percent(span().to - span().from)})`,
        top: `${18 * span().lane}px`,
      }}
    >
      <span class="visually-hidden">{title()}</span>
    </a>
  );
}
