/* The reasoner: answers questions about a game whose rules have been loaded.

   Three modules keep a game's names away from Prolog's own:
     rules   one predicate for each relation of the game, its name with a leading dot: '.legal'(Role, Move)
     state   one dynamic predicate for each kind of fluent that holds now: '.cell'('.1', '.1', '.b'),
             and does(Role, Move) while a joint move is looked at
     reasoner  this file
   Every GDL name carries the dot, constants too, so that none can meet a predicate or an operator of Prolog.

   A position is the sorted list of its fluents. The state module holds one position at a time; going from one to another
   asserts and retracts the difference only.

   Python sends one request as text and gets one reply as text: see answer/2.
*/
:- module(reasoner, [answer/2]).
:- use_module(library(apply)).
:- use_module(library(lists)).
:- use_module(library(ordsets)).
:- use_module(library(solution_sequences)).

:- dynamic fluent_kind/2, role/1, volatile_tables/1, tried/3.
:- dynamic state:does/2.
:- set_prolog_flag(rules:unknown, fail).
:- set_prolog_flag(state:unknown, fail).

%!  answer(+Request, -Reply) is det.
%   Both are text. A reply begins with + and the answer, or with - and an error.
answer(RequestText, ReplyText) :-
    (   catch(( term_string(Request, RequestText), run(Request, Reply) ), Error, true)
    ->  (   var(Error)
        ->  with_output_to(string(ReplyText), ( write(+), write_term(Reply, [ignore_ops(true), max_depth(0)]) ))
        ;   failure_text(Error, Text), string_concat(-, Text, ReplyText)
        )
    ;   string_concat(-, "the request failed", ReplyText)
    ).

failure_text(Text, Text) :-
    string(Text), !.
failure_text(error(resource_error(What), _), Text) :- !,
    format(string(Text), "resource ~w", [What]).
failure_text(Error, Text) :-
    format(string(Text), "~q", [Error]).

% ---- requests ---------------------------------------------------------------------------------------------------

run(limits(StackBytes, TableBytes), done) :-
    set_prolog_flag(stack_limit, StackBytes),
    set_prolog_flag(table_space, TableBytes).
run(clauses(Text), done) :-
    open_string(Text, Stream),
    call_cleanup(add_clauses(Stream), close(Stream)).
run(materialise(Relations, Inferences, Answers), Sizes) :-
    maplist(materialise(Inferences, Answers), Relations, Sizes).
run(facts(Name, Arity), Facts) :-
    functor(Head, Name, Arity),
    findall(Head, rules:Head, Facts).
run(compile(Relations, Volatile), done) :-
    maplist(to_static, Relations),
    retractall(volatile_tables(_)),
    forall(member(What, Volatile), assertz(volatile_tables(What))).
run(roles, Roles) :-
    findall(R, rules:'.role'(R), Roles0),
    unique(Roles0, Roles),
    retractall(role(_)),
    forall(member(R, Roles), assertz(role(R))).
run(initial, Position) :-
    findall(F, rules:'.init'(F), Fluents),
    sort(Fluents, Position),
    must_be_ground(init, Position).
run(sort(Fluents), Position) :-
    sort(Fluents, Position).
run(examine(Position, Goals), position(Terminal, Legals, Values)) :-
    enter(Position),
    is_terminal(Terminal),
    findall(Moves, ( role(R), legal_moves(R, Moves) ), Legals),
    (   ( Goals == wanted ; Terminal == true )
    ->  findall(Found, ( role(R), goal_values(R, Found) ), Values)
    ;   findall([], role(_), Values)
    ).
run(inferences, Inferences) :-
    statistics(inferences, Inferences).
run(next(Position, Joint), Next) :-
    enter(Position),
    next_position(Joint, Next).
run(sees(Position, Joint), Percepts) :-
    enter(Position),
    set_moves(Joint),
    findall(Seen, ( role(R), findall(S, rules:'.sees'(R, S), Seen0), sort(Seen0, Seen) ), Percepts),
    clear_moves.
run(perft(Position, Depth), Levels) :-
    perft(Position, Depth, Levels).
run(playouts(Position, Count, Seconds, Limit, Seed), Totals) :-
    set_random(seed(Seed)),
    playouts(Position, Count, Seconds, Limit, Totals).
run(tries(Position, Role, Moves, Limit, Seed), Tries) :-
    set_random(seed(Seed)),
    retractall(tried(_, _, _)),
    catch(( nb_setval(tries, running), try_moves(Position, Role, Moves, Limit), nb_setval(tries, none) ),
          interrupted, forget_position),
    findall(try(Length, Outcome, Goals), tried(Length, Outcome, Goals), Tries).
run(sleep(Seconds), done) :-
    sleep(Seconds).

unique([], []).
unique([X|Xs], [X|Ys]) :-
    exclude(==(X), Xs, Rest),
    unique(Rest, Ys).

% ---- loading ----------------------------------------------------------------------------------------------------

add_clauses(Stream) :-
    repeat,
    read_term(Stream, Clause, [module(rules)]),
    (   Clause == end_of_file
    ->  !
    ;   add_clause(Clause),
        fail
    ).

add_clause((:- table(Relation))) :- !, rules:table(Relation).
add_clause((:- fluent(Name, Arity))) :- !, know_fluent(Name, Arity).
add_clause((:- relation(Name, Arity))) :- !,
    catch(untable(rules:Name/Arity), _, true),
    dynamic(rules:Name/Arity),
    functor(Head, Name, Arity),
    retractall(rules:Head).
add_clause(Clause) :- assertz(rules:Clause).

know_fluent(Name, Arity) :-
    (   fluent_kind(Name, Arity)
    ->  true
    ;   dynamic(state:Name/Arity),
        assertz(fluent_kind(Name, Arity))
    ).

%!  materialise(+Inferences, +Answers, +Relation, -Size) is det.
%   Replace the rules of a relation by the facts that follow from them, if these are found within the limits.
%   Size is size(Count, DistinctValuesOfEachArgument), or size(-1, []) if the rules stay.
materialise(Inferences, Answers, Name/Arity, Size) :-
    functor(Head, Name, Arity),
    (   catch(call_with_inference_limit(first_answers(Answers, Head, Found), Inferences, Result), _, fail),
        Result \== inference_limit_exceeded
    ->  sort(Found, Facts),
        length(Facts, Count),
        (   Count < Answers, ground(Facts)
        ->  abolish_all_tables,
            catch(untable(rules:Name/Arity), _, true),
            retractall(rules:Head),
            forall(member(Fact, Facts), assertz(rules:Fact)),
            column_sizes(Arity, Facts, Columns),
            Size = size(Count, Columns)
        ;   Size = size(-1, [])
        )
    ;   Size = size(-1, [])
    ).

first_answers(Count, Head, Found) :-
    findall(Head, limit(Count, rules:Head), Found).

column_sizes(Arity, Facts, Columns) :-
    findall(Distinct,
            ( between(1, Arity, I), findall(A, ( member(F, Facts), arg(I, F, A) ), As), sort(As, Set), length(Set, Distinct) ),
            Columns).

to_static(Name/Arity) :-
    catch(compile_predicates([rules:Name/Arity]), _, true).

must_be_ground(What, Terms) :-
    (   ground(Terms)
    ->  true
    ;   include([T]>>(\+ ground(T)), Terms, [First|_]),
        format(string(Text), "~w gives a term with a variable: ~q", [What, First]),
        throw(Text)
    ).

% ---- the position that holds ------------------------------------------------------------------------------------

%!  enter(+Position): make a position the one that holds.
enter(Position) :-
    clear_moves,
    (   nb_current(position, Old) -> true ; Old = [] ),
    change(Old, Position).

%!  change(+Old, +New): the same, where Old is known to hold.
change(Old, New) :-
    (   Old == New
    ->  true
    ;   ord_subtract(Old, New, Gone),
        ord_subtract(New, Old, Come),
        drop(Gone),
        add(Come),
        nb_setval(position, New)
    ),
    forget_tables(position).

drop([]).
drop([F|Fs]) :-
    retract(state:F), !,
    drop(Fs).

add([]).
add([F|Fs]) :-
    functor(F, Name, Arity),
    (   fluent_kind(Name, Arity) -> true ; know_fluent(Name, Arity) ),
    assertz(state:F),
    add(Fs).

%!  forget_tables(+What): what tables hold is out of date: the position has changed, or the moves.
forget_tables(What) :-
    (   volatile_tables(What) -> abolish_all_tables ; true ).

%!  rules:holds(?Fluent): a fluent of any kind; for rules that write (true ?x).
rules:holds(F) :-
    (   nonvar(F)
    ->  callable(F), functor(F, Name, Arity), reasoner:fluent_kind(Name, Arity)
    ;   reasoner:fluent_kind(Name, Arity), functor(F, Name, Arity)
    ),
    call(state:F).

set_moves(Joint) :-
    retractall(state:does(_, _)),
    findall(R, role(R), Roles),
    maplist([R, M]>>assertz(state:does(R, M)), Roles, Joint),
    forget_tables(moves).

clear_moves :-
    retractall(state:does(_, _)).

% ---- questions about it -----------------------------------------------------------------------------------------

is_terminal(true) :- rules:'.terminal', !.
is_terminal(false).

legal_moves(Role, Moves) :-
    findall(M, rules:'.legal'(Role, M), Found),
    sort(Found, Moves),
    must_be_ground(legal, Moves).

goal_values(Role, Values) :-
    findall(V, rules:'.goal'(Role, V), Found),
    sort(Found, Values).

next_position(Joint, Next) :-
    set_moves(Joint),
    findall(F, rules:'.next'(F), Fluents),
    clear_moves,
    sort(Fluents, Next),
    must_be_ground(next, Next).

% ---- counting positions -----------------------------------------------------------------------------------------

%!  perft(+Position, +Depth, -Levels): nodes and terminal nodes at each depth, by sequence of joint moves.
perft(Position, Depth, Levels) :-
    length(Counts, Depth),
    Nodes =.. [counts, 0|Counts], Ends =.. [counts, 0|Counts],
    maplist(=(0), Counts),
    count(Position, 0, Depth, Nodes, Ends),
    findall(level(N, E), ( D is Depth + 1, between(1, D, I), arg(I, Nodes, N), arg(I, Ends, E) ), Levels).

count(Position, Level, Depth, Nodes, Ends) :-
    enter(Position),
    I is Level + 1,
    arg(I, Nodes, N0), N is N0 + 1, nb_setarg(I, Nodes, N),
    (   rules:'.terminal'
    ->  arg(I, Ends, E0), E is E0 + 1, nb_setarg(I, Ends, E)
    ;   Level >= Depth
    ->  true
    ;   findall(Moves, ( role(R), legal_moves(R, Moves) ), Legals),
        findall(Joint, maplist([Ms, M]>>member(M, Ms), Legals, Joint), Joints),
        forall(member(Joint, Joints), ( enter(Position), next_position(Joint, Next), count(Next, I, Depth, Nodes, Ends) ))
    ).

% ---- random playouts --------------------------------------------------------------------------------------------

%!  playouts(+Position, +Count, +Seconds, +Limit, -Totals): uniformly random playouts, until Count of them are done or
%   Seconds of processor time are used up. Totals is totals(Playouts, Steps, Unfinished, GoalSums, Seconds); a playout that
%   reaches Limit steps, or a state where a role has no move, counts as unfinished.
playouts(Position, Count, Seconds, Limit, totals(Done, Steps, Unfinished, Sums, Used)) :-
    findall(0, role(_), Zeros),
    Sum =.. [sums|Zeros],
    Total = total(0, 0, 0),
    statistics(cputime, Start),
    repeat,
        enter(Position),
        playout(Position, 0, Limit, Length, Outcome),
        bump(1, Total, 1, Done),
        bump(2, Total, Length, Steps),
        (   Outcome == finished
        ->  add_goals(Sum), arg(3, Total, Unfinished)
        ;   bump(3, Total, 1, Unfinished)
        ),
        statistics(cputime, Now),
        Used is Now - Start,
        ( Done >= Count ; Used >= Seconds ),
    !,
    Sum =.. [_|Sums].

bump(I, Counter, By, Value) :-
    arg(I, Counter, Old),
    Value is Old + By,
    nb_setarg(I, Counter, Value).

add_goals(Sum) :-
    best_goals(Goals),
    forall(nth1(I, Goals, Goal), bump(I, Sum, Goal, _)).

%!  best_goals(-Goals): the goal value of each role that counts.
best_goals(Goals) :-
    findall(Best,
            ( role(R), goal_values(R, Values), findall(N, ( member(V, Values), number_of(V, N) ), Ns),
              max_member(Best, [0|Ns]) ),
            Goals).

number_of(Value, Number) :-
    atom(Value),
    sub_atom(Value, 1, _, 0, Digits),
    catch(atom_number(Digits, Number), _, fail),
    integer(Number), Number >= 0, Number =< 100.

playout(Position, Length0, Limit, Length, Outcome) :-
    heed_interrupts,
    (   rules:'.terminal'
    ->  Length = Length0, Outcome = finished
    ;   Length0 >= Limit
    ->  Length = Length0, Outcome = limit
    ;   random_moves
    ->  play_on(Position, Length0, Limit, Length, Outcome)
    ;   Length = Length0, Outcome = stuck
    ).

%!  play_on(+Position, +Length0, +Limit, -Length, -Outcome): the rest of a playout whose next moves are made already.
play_on(Position, Length0, Limit, Length, Outcome) :-
    findall(F, rules:'.next'(F), Fluents),
    clear_moves,
    sort(Fluents, Next),
    change(Position, Next),
    Length1 is Length0 + 1,
    playout(Next, Length1, Limit, Length, Outcome).

random_moves :-
    findall(does(R, M), ( role(R), random_move(R, M) ), Joint),
    predicate_property(role(_), number_of_clauses(Roles)),
    length(Joint, Roles),  % else a role has no legal move
    assert_moves(Joint),
    forget_tables(moves).

assert_moves([]).
assert_moves([Does|Rest]) :-
    assertz(state:Does),
    assert_moves(Rest).

random_move(Role, Move) :-
    findall(M, rules:'.legal'(Role, M), Found),
    sort(Found, Moves),
    any_of(Moves, Move).

any_of(Items, Item) :-
    length(Items, N),
    N > 0,
    I is random(N),
    nth0(I, Items, Item).

% ---- playouts after a move ---------------------------------------------------------------------------------------

/* The parent may interrupt these with the signal usr1, and gets what was done until then. In any other request the signal
   means nothing. It comes between two calls of Prolog, wherever that is; but whoever leaves tabling by an exception
   leaves its tables broken: where there are tables, the end is put off until the next step of the playout.
*/
:- on_signal(usr1, _, reasoner:interrupt).

interrupt(_) :-
    (   nb_current(tries, running)
    ->  (   volatile_tables(position)
        ->  nb_setval(tries, interrupted)
        ;   nb_setval(tries, none),
            throw(interrupted)
        )
    ;   true
    ).

heed_interrupts :-
    (   nb_current(tries, interrupted)
    ->  nb_setval(tries, none),
        throw(interrupted)
    ;   true
    ).

%!  try_moves(+Position, +Role, +Moves, +Limit): for each of a role's moves in turn a random playout that begins with it,
%   the others moving at random. Each adds a fact tried(Steps, Outcome, Goals); there are goals if it came to an end.
try_moves(Position, Role, Moves, Limit) :-
    enter(Position),
    findall(choice(R, Legal), ( role(R), R \== Role, legal_moves(R, Legal) ), Others),
    forall(member(Move, Moves), try_move(Position, Role, Move, Others, Limit)).

try_move(Position, Role, Move, Others, Limit) :-
    heed_interrupts,
    enter(Position),
    maplist(any_move, Others, Moves),
    assert_moves([does(Role, Move)|Moves]),
    forget_tables(moves),
    play_on(Position, 0, Limit, Length, Outcome),
    (   Outcome == finished -> best_goals(Goals) ; Goals = [] ),
    assertz(tried(Length, Outcome, Goals)).

any_move(choice(Role, Moves), does(Role, Move)) :-
    any_of(Moves, Move).

%!  forget_position: after an interruption nobody knows what holds.
forget_position :-
    clear_moves,
    forall(fluent_kind(Name, Arity), ( functor(Fluent, Name, Arity), retractall(state:Fluent) )),
    nb_setval(position, []),
    forget_tables(position).
