/** A file that is sent into a database: its progress, and the actions if it has stopped. */
import { createSignal, Match, Switch } from 'solid-js';
import type { Overview } from '../../../../api/queries.ts';
import { Button } from '../../../../ui/button.tsx';
import { Show } from '../../../../ui/show.ts';
import { sizeText } from '../../../../ui/size.ts';
import { TypeName } from '../../../../ui/type-name.tsx';
import { importsText } from '../imports-text.ts';
import { discardUpload, sendFile, stopUpload, type Upload } from './uploads.ts';

export function SentFile(props: { upload: Upload; service: Overview['service'] }) {
  const [isReplacing, setIsReplacing] = createSignal(false);
  const id = () => props.service.id;
  const file = () => props.upload.file;
  const goOn = (replace = props.upload.replace) => void sendFile(id(), file(), replace);
  const share = () => Math.floor((100 * props.upload.sentBytes) / Math.max(1, file().size));
  return (
    <div class="sent-file">
      <p>
        <code>{file().name}</code>
      </p>
      <progress max={file().size} value={props.upload.sentBytes} aria-label={importsText.sent(file().name)} />
      <p class="quiet-text" role="status">
        <Switch>
          <Match when={props.upload.state === 'reading'}>{importsText.reading}</Match>
          <Match when={props.upload.state === 'waiting'}>{importsText.arrived}</Match>
          <Match when={true}>
            {importsText.sentOf(share(), sizeText(props.upload.sentBytes), sizeText(file().size))}
            <Show when={props.upload.resumedBytes > 0}>
              {' '}
              {importsText.resumed(sizeText(props.upload.resumedBytes))}
            </Show>
          </Match>
        </Switch>
      </p>
      <Show when={props.upload.state === 'stopped'}>
        <p class="field-failure" role="alert">
          {props.upload.failure} {importsText.stopped}
        </p>
      </Show>
      <Show when={props.upload.state === 'waiting'}>
        <p class="warning" role="alert">
          {importsText.notEmpty}
        </p>
      </Show>
      <div class="actions">
        <Switch>
          <Match when={props.upload.state === 'sending'}>
            <Button class="small" onClick={() => stopUpload(id())}>
              {importsText.stop}
            </Button>
          </Match>
          <Match when={props.upload.state === 'stopped'}>
            <Button kind="primary" class="small" onClick={() => goOn()}>
              {importsText.goOn}
            </Button>
          </Match>
          <Match when={props.upload.state === 'waiting'}>
            <Button kind="danger" class="small" onClick={() => setIsReplacing(true)}>
              {importsText.replaceNow}
            </Button>
          </Match>
        </Switch>
        <Show when={props.upload.state !== 'reading' && props.upload.state !== 'sending'}>
          <Button class="small" onClick={() => void discardUpload(id())}>
            {importsText.discard}
          </Button>
        </Show>
      </div>
      <Show when={isReplacing()}>
        <TypeName
          title={importsText.replaceTitle(props.service.name)}
          help={importsText.replaceHelp}
          name={props.service.name}
          submit={importsText.replaceNow}
          onClose={() => setIsReplacing(false)}
          onConfirm={() => goOn(true)}
        />
      </Show>
    </div>
  );
}
