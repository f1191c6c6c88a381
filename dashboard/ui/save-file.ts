/** Saves data of the page as a file. */

/** @param name of the file @param type its media type */
export function saveFile(name: string, content: BlobPart | readonly BlobPart[], type: string): void {
  const parts = Array.isArray(content) ? content : [content];
  const url = URL.createObjectURL(new Blob(parts as BlobPart[], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
