/** The number of unused entries at the front with which the array is copied without them. */
const compactAt = 1_024;

/** A first-in, first-out queue. Array.shift would move all entries of a long array. */
export class Queue<Item> {
  #items: Item[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#items[this.#first];
    if (this.length > 0) this.#first += 1;
    if (this.#first >= compactAt && this.#first * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}
