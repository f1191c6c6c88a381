/** Pages in a few groups: a row of groups, and below it the pages of the group that is shown, as a list beside the page or as a row. */
import type { JSX } from 'solid-js';
import { Rows } from './rows.tsx';
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
        <Rows each={props.groups} by={({ label }) => label}>
          {(group) => (
            <a href={group().tabs[0]?.href ?? ''} aria-current={holds(group()) ? 'page' : undefined}>
              {group().label}
              <Show when={badgeOf(group())}>{(number) => <span class="badge">{number()}</span>}</Show>
            </a>
          )}
        </Rows>
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
            <Rows each={group().tabs} by={({ name }) => name}>
              {(tab) => (
                <a href={tab().href} aria-current={tab().name === props.current ? 'page' : undefined}>
                  {tab().label}
                  <Show when={tab().badge}>{(number) => <span class="badge">{number()}</span>}</Show>
                </a>
              )}
            </Rows>
          </nav>
        )}
      </Show>
      <div class="tab-content">{props.children}</div>
    </div>
  );
}
