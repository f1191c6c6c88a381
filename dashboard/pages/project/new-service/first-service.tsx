/** What a project without services offers: a repository or image, a folder, or a database. */
import '../../../styles/new-service.css';
import { For } from 'solid-js';
import { newServiceText as texts } from '../../../text/new-service-text.ts';
import { BookIcon, DeployIcon, ServerIcon } from '../../../ui/icons.tsx';

const tiles = [
  { of: texts.tiles.repository, Icon: BookIcon },
  { of: texts.tiles.folder, Icon: DeployIcon },
  { of: texts.tiles.database, Icon: ServerIcon },
] as const;

export const FirstService = (props: { slug: string }) => (
  <section>
    <h2 class="section-title">{texts.emptyTitle}</h2>
    <div class="new-service first">
      <For each={tiles}>
        {({ of, Icon }) => (
          <a href={`/projects/${props.slug}/new${of.at}`}>
            <Icon />
            <strong>{of.title}</strong>
            <span class="quiet-text">{of.help}</span>
          </a>
        )}
      </For>
    </div>
  </section>
);
