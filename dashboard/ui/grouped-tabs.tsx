/** Pages in a few groups: a row of groups, and below it the pages of the group that is shown, as a list beside the page or as a row. */
import { For, type JSX } from 'solid-js';
import { Show } from './show.ts';
import { showCurrent } from './show-current.ts';

export interface TabLink {
  name: string;
  label: string;
  href: string;
  /** Shown beside the label, for example how many changes wait. */
  badge?: number;
}

export interface TabGroup {
  label: string;
  tabs: readonly TabLink[];
  /** Pages that need the whole width have their list above them. */
  isWide?: boolean;
}

interface GroupedTabsProps {
  /** Of the row of groups, for screen readers: what the pages belong to. */
  label: string;
  groups: readonly TabGroup[];
  /** Name of the tab that is shown. */
  current: string;
  children: JSX.Element;
}

export function GroupedTabs(props: GroupedTabsProps) {
  const holds = (group: TabGroup) => group.tabs.some(({ name }) => name === props.current);
  const shown = () => props.groups.find((group) => holds(group) && group.tabs.length > 1);
  const badgeOf = (group: TabGroup) => group.tabs.reduce((sum, { badge = 0 }) => sum + badge, 0);
  return (
    <>
      <nav ref={showCurrent} class="tabs" aria-label={props.label}>
        <For each={props.groups}>
          {(group) => (
            <a href={group.tabs[0]?.href ?? ''} aria-current={holds(group) ? 'page' : undefined}>
              {group.label}
              <Show when={badgeOf(group)}>{(number) => <span class="badge">{number()}</span>}</Show>
            </a>
          )}
        </For>
      </nav>
      <TabPage group={shown()} current={props.current}>
        {props.children}
      </TabPage>
    </>
  );
}

/** One page of a group, with the way to the others; undefined: a page that stands alone. */
export function TabPage(props: { group: TabGroup | undefined; current: string; children: JSX.Element }) {
  return (
    <div
      class="tab-page"
      classList={{ 'has-list': props.group !== undefined && props.group.isWide !== true }}
    >
      <Show when={props.group}>
        {(group) => (
          <nav ref={showCurrent} class="tab-list" aria-label={group().label}>
            <For each={group().tabs}>
              {({ name, label, href, badge }) => (
                <a href={href} aria-current={name === props.current ? 'page' : undefined}>
                  {label}
                  <Show when={badge}>{(number) => <span class="badge">{number()}</span>}</Show>
                </a>
              )}
            </For>
          </nav>
        )}
      </Show>
      <div class="tab-content">{props.children}</div>
    </div>
  );
}
