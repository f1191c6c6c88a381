/** Saves all rows of a table, or the rows that match its filters, as a file. */
import { createSignal, For, onCleanup } from 'solid-js';
import { sentenceOf } from '../../../../api/client.ts';
import { t } from '../../../../text/text.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { saveFile } from '../../../../ui/save-file.ts';
import { Show } from '../../../../ui/show.ts';
import { exportText } from '../imports-text.ts';
import type { Column, Engine, View } from '../table-types.ts';
import { type Format, formats, writers } from './export.ts';
import { readAll } from './read-all.ts';

interface ExportTableProps {
  serviceId: string;
  engine: Engine;
  view: View;
  columns: readonly Column[];
  onClose(): void;
}

/** A browser keeps the file in memory until it is saved. */
const charactersMax = 256 * 1024 ** 2;

export function ExportTable(props: ExportTableProps) {
  const [format, setFormat] = createSignal<Format>('csv');
  const [read, setRead] = createSignal<number>();
  const [failure, setFailure] = createSignal('');
  const stop = new AbortController();
  onCleanup(() => stop.abort());
  const save = async () => {
    const writer = writers[format()];
    const { serviceId, engine, view, columns } = props;
    setFailure('');
    setRead(0);
    try {
      const parts = [writer.head(columns)];
      let characters = 0;
      for await (const rows of readAll({ serviceId, engine, view, columns, signal: stop.signal })) {
        const part = writer.rows(columns, rows, parts.length === 1);
        characters += part.length;
        if (characters > charactersMax) throw new RangeError(exportText.tooLarge);
        parts.push(part);
        setRead((before) => (before ?? 0) + rows.length);
      }
      saveFile(
        `${view.table.name.replace(/[^\p{L}\p{N}._-]+/gu, '-')}.${writer.ending}`,
        [...parts, writer.foot],
        writer.type,
      );
      props.onClose();
    } catch (error) {
      setRead(undefined);
      if (!stop.signal.aborted) setFailure(error instanceof RangeError ? error.message : sentenceOf(error));
    }
  };
  return (
    <Dialog title={exportText.title(props.view.table.name)} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (read() === undefined) void save();
        }}
      >
        <p class="quiet-text">{props.view.filters.length > 0 ? exportText.filtered : exportText.all}</p>
        <fieldset class="export-formats">
          <legend>{exportText.format}</legend>
          <For each={formats}>
            {(one) => (
              <label class="check">
                <input
                  type="radio"
                  name="format"
                  checked={format() === one}
                  disabled={read() !== undefined}
                  onChange={() => setFormat(one)}
                />
                <span>
                  {exportText.formats[one]}
                  <small class="quiet-text">{exportText.formatHelp[one]}</small>
                </span>
              </label>
            )}
          </For>
        </fieldset>
        <Show when={read() !== undefined}>
          <p role="status">{exportText.read(read() ?? 0)}</p>
        </Show>
        <Show when={failure()}>
          <p class="field-failure" role="alert">
            {failure()}
          </p>
        </Show>
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" busy={read() !== undefined}>
            {exportText.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
