/** A plan as a tree (ARIA APG): arrow keys move, Left closes, Right opens. The most expensive node is highlighted. */
import { createMemo, createSignal, For } from 'solid-js';
import { CopyButton } from '../../../../ui/copy.tsx';
import { Show } from '../../../../ui/show.ts';
import { planText } from '../plan-text.ts';
import { heaviestOf, nodesOf, type Plan, type PlanNode, sharesOf, wrongEstimates } from './plan.ts';

/** @param source the plan in the database's own format, for copying */
export function PlanTree(props: { plan: Plan; source: string }) {
  let tree: HTMLDivElement | undefined;
  const shares = createMemo(() => sharesOf(props.plan.root));
  const heaviest = createMemo(() => heaviestOf(shares()));
  const wrong = createMemo(() => wrongEstimates(props.plan.root));
  const [at, setAt] = createSignal<PlanNode>(heaviest() ?? props.plan.root);
  const [closed, setClosed] = createSignal<ReadonlySet<PlanNode>>(new Set());
  const all = createMemo(() => nodesOf(props.plan.root));
  const parentOf = (node: PlanNode) => all().find(({ children }) => children.includes(node));
  const isShown = (node: PlanNode): boolean => {
    const parent = parentOf(node);
    return !parent || (!closed().has(parent) && isShown(parent));
  };
  const isOpen = (node: PlanNode) => !closed().has(node);
  const goTo = (node: PlanNode | undefined) => {
    if (!node) return;
    setAt(node);
    tree?.querySelector<HTMLElement>(`[data-node="${all().indexOf(node)}"]`)?.focus();
  };
  const setOpen = (node: PlanNode, opened: boolean) =>
    setClosed((before) => {
      const next = new Set(before);
      if (opened) next.delete(node);
      else next.add(node);
      return next;
    });
  const pressed = (event: KeyboardEvent) => {
    const shown = all().filter(isShown);
    const place = shown.indexOf(at());
    const hasChildren = at().children.length > 0;
    if (event.key === 'ArrowDown') goTo(shown[place + 1]);
    else if (event.key === 'ArrowUp') goTo(shown[place - 1]);
    else if (event.key === 'Home') goTo(shown[0]);
    else if (event.key === 'End') goTo(shown.at(-1));
    else if (event.key === 'ArrowRight' && hasChildren)
      isOpen(at()) ? goTo(at().children[0]) : setOpen(at(), true);
    else if (event.key === 'ArrowLeft')
      hasChildren && isOpen(at()) ? setOpen(at(), false) : goTo(parentOf(at()));
    else return;
    event.preventDefault();
  };
  const item: ItemProps['tree'] = {
    id: (node) => all().indexOf(node),
    ...{ shares, heaviest, wrong },
    isMeasured: () => props.plan.isMeasured,
    at,
    isOpen,
    onFocus: setAt,
    onToggle: (node) => setOpen(node, !isOpen(node)),
  };
  return (
    <section class="stack query-plan" aria-label={planText.title}>
      <div class="toolbar">
        <p class="quiet-text facts-line" role="status">
          <span>{props.plan.isMeasured ? planText.measured : planText.expected}</span>
          <For each={props.plan.facts}>{(fact) => <span>{fact}</span>}</For>
        </p>
        <CopyButton text={props.source} what={planText.copy} />
      </div>
      <Show when={all().length > 1 && heaviest()}>
        {(node) => (
          <p class="plan-heaviest">
            {planText.heaviest(percent(shares().get(node()) ?? 0), props.plan.isMeasured)}{' '}
            <button type="button" class="link" onClick={() => goTo(node())}>
              {titleOf(node())}
            </button>
          </p>
        )}
      </Show>
      <div
        ref={tree}
        class="plan-tree"
        role="tree"
        aria-label={planText.title}
        tabindex="-1"
        onKeyDown={pressed}
      >
        <Item node={props.plan.root} level={1} place={1} size={1} tree={item} />
      </div>
    </section>
  );
}

interface ItemProps {
  node: PlanNode;
  level: number;
  /** Its index among the children of its parent. */
  place: number;
  size: number;
  tree: {
    id(node: PlanNode): number;
    shares(): ReadonlyMap<PlanNode, number>;
    heaviest(): PlanNode | undefined;
    wrong(): ReadonlyMap<PlanNode, number>;
    isMeasured(): boolean;
    at(): PlanNode;
    isOpen(node: PlanNode): boolean;
    onFocus(node: PlanNode): void;
    onToggle(node: PlanNode): void;
  };
}

function Item(props: ItemProps) {
  const hasChildren = () => props.node.children.length > 0;
  const share = () => props.tree.shares().get(props.node);
  const isHeaviest = () => props.tree.heaviest() === props.node;
  const numbers = () => numbersOf(props.node);
  const error = () => errorText(props.tree.wrong().get(props.node));
  return (
    <>
      {/* Flat, with levels: so its name is what is written in it, and not what is below it. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the one with the focus has tabindex 0, the others -1 */}
      <div
        role="treeitem"
        class="plan-node"
        classList={{ heaviest: isHeaviest(), closed: hasChildren() && !props.tree.isOpen(props.node) }}
        data-node={props.tree.id(props.node)}
        tabindex={props.tree.at() === props.node ? 0 : -1}
        aria-level={props.level}
        aria-posinset={props.place}
        aria-setsize={props.size}
        aria-selected={props.tree.at() === props.node}
        aria-expanded={hasChildren() ? props.tree.isOpen(props.node) : undefined}
        onFocus={() => props.tree.onFocus(props.node)}
        onClick={() => hasChildren() && props.tree.onToggle(props.node)}
      >
        <p class="plan-head">
          <Show when={hasChildren()} fallback={<span class="plan-leaf" aria-hidden="true" />}>
            <span class="plan-toggle" aria-hidden="true" />
          </Show>
          <strong>{props.node.name}</strong>{' '}
          <Show when={props.node.target}>
            <code>{props.node.target}</code>
          </Show>
        </p>
        <Show when={share() !== undefined}>
          <p class="plan-share">
            <progress max="1" value={share()} aria-hidden="true" />
            <span>
              {percent(share() ?? 0)}
              <span class="visually-hidden"> {planText.shareOf(props.tree.isMeasured())}</span>
            </span>
          </p>
        </Show>
        <p class="plan-numbers quiet-text">
          <For each={numbers()}>{(text) => <span>{text} </span>}</For>
          <Show when={error()}>{(text) => <strong class="cut">{text()}</strong>}</Show>
        </p>
        <Show when={props.node.facts.length > 0}>
          <p class="plan-facts">
            <For each={props.node.facts}>{(fact) => <span>{fact} </span>}</For>
          </p>
        </Show>
      </div>
      <Show when={hasChildren() && props.tree.isOpen(props.node)}>
        <div role="none" class="plan-below" classList={{ only: props.node.children.length === 1 }}>
          <For each={props.node.children}>
            {(child, index) => (
              <Item
                node={child}
                level={props.level + 1}
                place={index() + 1}
                size={props.node.children.length}
                tree={props.tree}
              />
            )}
          </For>
        </div>
      </Show>
    </>
  );
}

const titleOf = ({ name, target }: PlanNode) => (target === '' ? name : `${name} ${target}`);
const percent = (share: number) => `${share > 0 && share < 0.01 ? '<1' : Math.round(share * 100)} %`;

/** Three significant digits are enough for comparing. */
function short(amount: number): string {
  const digits = amount >= 100 ? 0 : amount >= 1 ? 1 : 3;
  return amount.toLocaleString('en', { maximumFractionDigits: digits });
}

function numbersOf({ realRows, expectedRows, ms, cost }: PlanNode): string[] {
  return [
    ...(ms === undefined ? [] : [planText.ms(short(ms))]),
    ...(ms === undefined && cost !== undefined ? [planText.cost(short(cost))] : []),
    ...(realRows === undefined ? [] : [planText.rows(short(realRows))]),
    ...(expectedRows === undefined ? [] : [planText.expectedRows(short(expectedRows))]),
  ];
}

function errorText(factor: number | undefined): string | undefined {
  if (factor === undefined) return undefined;
  return factor > 1
    ? planText.tooLow(short(Math.round(factor)))
    : planText.tooHigh(short(Math.round(1 / factor)));
}
