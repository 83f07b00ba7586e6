import { expect, it } from 'vitest';
import { partsOnDemand } from './parts-on-demand.ts';

const made: string[] = [];
const make = partsOnDemand<{ name: string; greet: (whom: string) => string }, { first: string; secret: string }>({
  name: ({ first }) => {
    made.push('name');
    return first;
  },
  greet:
    ({ first }) =>
    (whom) =>
      `${first} greets ${whom}`,
});

it('parts are made when they are asked for, and may be taken out or copied like those of any object', () => {
  const person = make({ first: 'Ada', secret: 'x' });
  expect(made).toEqual([]);
  const { greet } = person;
  expect(greet('Bob')).toBe('Ada greets Bob');
  expect(made).toEqual([]);
  expect(Object.keys({ ...person })).toEqual(['name', 'greet']);
  expect({ ...person }.name).toBe('Ada');
});

it('nothing of the source is shown, and nothing can be set', () => {
  const person = make({ first: 'Ada', secret: 'x' });
  expect('secret' in person).toBe(false);
  expect((person as unknown as { secret?: string }).secret).toBeUndefined();
  expect(() => Object.assign(person, { name: 'Eve' })).toThrow(TypeError);
  expect(person.name).toBe('Ada');
});
