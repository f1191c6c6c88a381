import { Dynamic } from 'solid-js/web';

/** Stands where a list would be: that there is nothing, and how something gets there. @param props.inList it is the only item of a list */
export const Empty = (props: { title: string; help: string; inList?: boolean }) => (
  <Dynamic component={props.inList ? 'li' : 'div'} class="empty">
    <h2>{props.title}</h2>
    <p>{props.help}</p>
  </Dynamic>
);
