/** Volumes of a service: their sizes, and their effect on deployments. */
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { type Overview, renewService } from '../../../api/queries.ts';
import { usageText } from '../../../text/operator-text.ts';
import { Button } from '../../../ui/button.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { sizeText } from '../../../ui/size.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { EditVolume } from './edit-volume.tsx';
import type { Volume } from './resources.ts';
import { volumesText } from './resources-text.ts';

const bytesOfMb = 1024 * 1024;
/** From this share on, the bar changes its colour. */
const highShare = 0.9;

export function Volumes(props: { overview: Overview; mayWrite: boolean }) {
  const [edited, setEdited] = createSignal<Volume | 'new'>();
  const serviceId = () => props.overview.service.id;
  const changed = () => renewService(serviceId());
  const remove = (volumeId: string) =>
    attempt(async () => {
      const params = { serviceId: serviceId(), volumeId };
      say((await api.call('DELETE /api/services/:serviceId/volumes/:volumeId', { params })).detail);
      await changed();
    });
  return (
    <section class="panel">
      <header>
        <h2>{volumesText.title}</h2>
        <Show when={props.mayWrite}>
          <Button class="small" onClick={() => setEdited('new')}>
            {volumesText.add}
          </Button>
        </Show>
      </header>
      <p class="quiet-text">{props.overview.volumes.length > 0 ? volumesText.stopStart : volumesText.help}</p>
      <ul class="plain-list">
        <Rows each={props.overview.volumes}>
          {(volume) => (
            <li class="item-row">
              <span class="long-text">
                <strong>{volume().name}</strong> <code>{volume().mountPath}</code>
                <VolumeUse volume={volume()} />
              </span>
              <Show when={props.mayWrite}>
                <span class="actions">
                  <EditAndRemove
                    name={volume().name}
                    onEdit={() => setEdited(volume())}
                    removeHelp={volumesText.removeHelp}
                    onRemove={() => void remove(volume().id)}
                  />
                </span>
              </Show>
            </li>
          )}
        </Rows>
      </ul>
      <Show when={edited()} keyed>
        {(volume) => (
          <EditVolume
            serviceId={serviceId()}
            volume={volume === 'new' ? undefined : volume}
            onSaved={() => void changed()}
            onClose={() => setEdited(undefined)}
          />
        )}
      </Show>
    </section>
  );
}

function VolumeUse(props: { volume: Volume }) {
  const used = () => props.volume.usedMb;
  const size = () => props.volume.sizeMb;
  const text = () => {
    const [held, most] = [used(), size()];
    const heldText = held === null ? volumesText.notMeasured : sizeText(held * bytesOfMb);
    if (held === null && most !== null) return volumesText.notMeasuredOf(sizeText(most * bytesOfMb));
    return most === null ? heldText : usageText.of(heldText, sizeText(most * bytesOfMb));
  };
  return (
    <small class="quiet-text volume-use">
      {text()}
      <Show when={used() !== null && size()}>
        {(most) => (
          <meter
            aria-label={volumesText.usedOf(props.volume.name)}
            min="0"
            max={most()}
            high={most() * highShare}
            value={used() ?? 0}
          />
        )}
      </Show>
    </small>
  );
}
