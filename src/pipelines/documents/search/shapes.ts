// What the API gives back, for those that make parts of it.
import type { AnswerOf } from '../../../contract/api/client.ts';

export type Hit = AnswerOf<'search.run'>['hits'][number];
export type Why = AnswerOf<'search.run'>['why'];
