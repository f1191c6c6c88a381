/** Answers of S3 as its documentation shows them, and what else may come. */
import { expect, test } from 'vitest';
import {
  completionXml,
  deletionXml,
  elementsIn,
  errorCodeIn,
  textIn,
} from '../../../../worker/gateways/blobs/s3-xml.ts';

const listing = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <Name>bucket</Name><KeyCount>2</KeyCount>
  <Contents><Key>a/&lt;b&gt; &amp;amp; &quot;c&quot; &#x1F4BE;&#9;</Key><ETag>&quot;x&quot;</ETag></Contents>
  <Contents>
    <Key>plain</Key>
  </Contents>
</ListBucketResult>`;

test('an answer gives each element by its name, entities replaced once', () => {
  const keys = elementsIn(listing, 'Contents').map((object) => textIn(object, 'Key'));
  expect(keys).toEqual(['a/<b> &amp; "c" \u{1F4BE}\t', 'plain']);
  expect(textIn(listing, 'KeyCount')).toBe('2');
});

test('an answer gives nothing for what is not there, cut off, or named alike', () => {
  expect(elementsIn('', 'Key')).toEqual([]);
  expect(elementsIn('<Key>cut of', 'Key')).toEqual([]);
  expect(elementsIn('<KeyCount>2</KeyCount>', 'Key')).toEqual([]);
});

test('an answer with an entity that is none keeps its text', () => {
  expect(textIn('<Key>&nbsp;&#9999999;</Key>', 'Key')).toBe('&nbsp;&#9999999;');
});

test('an error is known by its code, also after the blanks that keep a connection open', () => {
  const xml = '\n \n<?xml version="1.0"?>\n<Error><Code>InternalError</Code><Message>We</Message></Error>';
  expect(errorCodeIn(xml)).toBe('InternalError');
});

test('an error has no code where there is none, or no error', () => {
  for (const xml of ['', '<html>502</html>', '<Error><Message>x</Message></Error>', '<Code>NoSuchKey</Code>'])
    expect(errorCodeIn(xml)).toBeUndefined();
});

test('an error has no code that is a text of somebody else', () => {
  expect(errorCodeIn('<Error><Code>go to &lt;evil&gt;</Code></Error>')).toBeUndefined();
});

test('text from hosts and rows stays text in a body, never an element', () => {
  const hostile = `</ETag></Part><Part>"'&`;
  for (const xml of [completionXml([hostile]), deletionXml([hostile])]) expect(xml).not.toContain(hostile);
  expect(textIn(completionXml([hostile]), 'ETag')).toBe(hostile);
  expect(textIn(deletionXml([hostile]), 'Key')).toBe(hostile);
});
