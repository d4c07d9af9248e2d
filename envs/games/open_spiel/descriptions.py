"""Rules in a few words of the best known games of OpenSpiel, which has none: a table to be read.

What depends on a parameter is named by it; the prompt shows the parameters. Left out: all other
games, for which the prompt says so.
"""

_TABLE = """
2048:
Slide all tiles up, down, left or right; two equal ones that meet become their sum, which you
gain. After each move a new 2 or 4 appears. It ends when nothing can move.

amazons:
Four amazons a side (X, O). A turn is three replies: From, To, Shoot. An amazon goes as a chess
queen, then shoots an arrow (#) as a queen goes; nothing passes or enters an arrow or an amazon.
Who cannot move loses. Squares are (row, column) from (1, 1).

backgammon:
Bring your 15 checkers home and bear them all off first; seat 0 is x. Dice say how far checkers
go; a lone checker that is hit goes to the bar and must enter again. A move as 13/11 13/8 takes
one checker from point 13 to 11 and one from 13 to 8.

bargaining:
Divide a pool of items. Each seat values them differently and knows only its own values. In
turn, offer what you would take for yourself, or agree to the other's offer: then each gets the
value of its share. Without agreement both get 0.

battleship:
Both place their ships, then shoot in turn. In the lower board # is a hit, @ a miss; in the
upper one * marks shots at you, capitals ships that are hit. You gain the values of ships that
you sink and lose, times loss_multiplier, those of yours that are sunk.

blackjack:
Draw cards (Hit) or stop (Stand): come closer to 21 than the dealer, but above 21 you lose.
Court cards count 10, an ace 1 or 11. The dealer draws after you.

blotto:
All seats spread their coins over the fields at once; a reply as [0,3,7] gives the coins of each
field. A field goes to who put most there; most fields win.

breakthrough:
Seat 0 has b and moves down, seat 1 has w and moves up. Pawns step straight or diagonally
forward onto a free square, and capture diagonally only. Who first reaches the last row wins.
a7b6 is a step from a7 to b6.

catch:
A ball (o) falls one row a turn. Move the paddle (x) in the bottom row so that the ball lands on
it.

checkers:
Men step diagonally forward and capture by jumping over a piece of the other side; captures are
compulsory and go on while they can. A man that reaches the last row becomes a king and also
moves backward. Seat 0 has o. Who cannot move loses.

chess:
Chess by its usual rules; seat 1 is White and moves first. The position is given in FEN, moves
in algebraic notation.

clobber:
Move a piece (seat 0: o, seat 1: x) to a neighbouring square, not diagonally, with a piece of
the other side, which is removed. Who cannot move loses.

connect_four:
Drop discs into columns, counted from 0 on the left; x0 is a disc of x in column 0. Four in a
row, a column or a diagonal win.

crazy_eights:
Get rid of your cards first. Play a card of the suit or the rank of the previous card, or an
eight, which lets you choose the suit; else draw. At the end the cards that you still hold count
against you.

dark_hex:
Hex without seeing the other's stones. Seat 0 (x) joins top and bottom, seat 1 (o) left and
right. A move onto a hidden stone shows it to you; you then choose again (gameversion=cdh) or
your turn is over (adh).

dots_and_boxes:
Draw a line between two neighbouring dots; who draws the fourth side of a box owns it and draws
again. Most boxes win. P1(h,0,1) is the horizontal line of seat 0 in row 0, the second from the
left; v is for vertical ones.

first_sealed_auction:
Each seat knows what the item is worth to it, and bids once, unseen and below that. The highest
bid wins (a tie is drawn) and is paid: you get your value less your bid. The others get 0.

gin_rummy:
Draw the upcard or from the stock, then discard, to form sets (equal ranks) and runs (one suit
in order) of three or more. Other cards are deadwood: with no more than the knock card you may
knock, and win the difference of deadwood if yours is lower.

go:
Put stones on free points; a group without a free neighbour point is taken. A position that
comes again ends the game as a draw, but retaking at once is not allowed. Two passes end it, too.
Most stones and enclosed points win; White (seat 1) gets komi. W c3 is White's stone on c3.

gomoku:
Put a stone on a free cell; `connect` of yours in a line, straight or diagonal, win. 0,3 is row
0, column 3. Seat 0 is black (b), seat 1 white (w).

goofspiel:
All bid a card of their hand at once for the current point card, whose points go to the highest
bid; equal highest bids win nothing. Each card is bid once. Most points win.

hanabi:
You all play together, and see every hand but your own. Each colour is to be stacked in order 1,
2, 3, ...; a wrong card costs a life, the last life ends all with 0. Play or discard a card (by
its place, from 0), or spend information to tell another of its cards. Everyone gets the number
of cards stacked.

havannah:
Put a stone on a free cell of a board of six sides. A ring, a bridge between two corners, or a
fork that joins three sides wins. Seat 0 moves first and has O, seat 1 @.

hearts:
Follow suit if you can; the highest card of the suit led takes the trick. A heart costs 1 point
and the queen of spades 13; who takes all of them gives 26 to each other seat. You first pass
cards. You get 26 less your points.

hex:
Put a stone on a free cell. Seat 0 (x) wins by a chain from top to bottom, seat 1 (o) by one
from left to right. b2 touches a2, c2, b1, c1, a3 and b3.

kuhn_poker:
One card each, of one more than there are seats; 0 is the lowest. All put in 1 chip. In turn
Pass or Bet 1; after a bet, Bet calls it and Pass gives up. Of those still in, the highest card
wins the chips. What you have seen is your card, then p for each Pass and b for each Bet.

leduc_poker:
One private card each, one public card after the first round of bets. Cards 0 and 1 are of the
lowest rank, 2 and 3 of the next, and so on. All put in 1 chip; raises are 2, in the second
round 4, two a round. A pair with the public card wins, else the highest.

liars_dice:
You see only your own dice: the first digits of your text. In turn raise the bid on how many dice
of all seats show a face (2-5 says two fives; the highest face counts as any), or say Liar: then
the bidder loses if there are fewer, else who doubted.

lines_of_action:
Move a piece along a line by as many squares as there are pieces on that line, over your own but
not over others, which you may capture by landing. Who first has all pieces connected,
diagonally too, wins.

mancala:
Choose a pit of yours and sow its seeds one by one into the next ones and your store, not the
other's. Ending in your store gives another turn; ending in an empty pit of yours takes the
seeds opposite. Pits of seat 0 are 1 to 6 (below, from the left), of seat 1 8 to 13 (above, from
the right). Most seeds win.

nim:
Take any number of objects from one pile. Who takes the last object loses if is_misere is True,
else wins. Piles are counted from 1; the line shows their sizes.

nine_mens_morris:
Place men on points in turn, then move along lines to free neighbours. Three of yours on a line
take a man of the other. Who has fewer than three men, or cannot move, loses. Points are counted
from 0, row by row.

oshi_zumo:
A wrestler W stands on the field. All bid coins at once, and lose what they bid; the higher bid
pushes him one step away from the bidder: for seat 0 to the right, for seat 1 to the left. Who
pushes him off the field, or further when all ends, wins.

othello:
Put a disc so that it encloses others' discs in a line, which then are yours. Who cannot,
passes. Most discs win at the end. Seat 0 is black (x) and moves first.

oware:
Choose a house of yours and sow its seeds one by one onward. If the last one makes 2 or 3 in a
house of the other, you take them, and those before it that also have 2 or 3. The text is: seat
to move, scores, seeds of A to F (seat 0), then of a to f (seat 1).

pentago:
Put a stone on a free cell and turn one of the four quarters. Five in a line win. a1s is a stone
on a1 and the turn that s marks at the edge of the board.

phantom_ttt:
Tic-tac-toe without seeing the other's marks. A move onto a hidden mark shows it to you; then
you choose again (gameversion=classical) or your turn is over (abrupt). x(0,2) is row 0, column
2.

pig:
Roll a die as often as you dare: its points are added to your turn, but a 1 loses the points of
the turn and ends it. Stop to keep them. First to winscore wins.

quoridor:
Bring your pawn to the opposite side first: seat 0 to row 1. A turn is a step (e8) or a wall of
length two (e4h horizontal, e4v vertical), which must not close all ways.

tic_tac_toe:
Three of your marks in a row, a column or a diagonal win. x(0,2) is a mark of x in row 0,
column 2, counted from 0. Seat 0 is x and moves first.

ultimate_tic_tac_toe:
Nine boards of tic-tac-toe; three boards won in a line win. Your cell decides on which board the
other plays next; if that one is finished, on any.

y:
Put a stone on a free cell of a triangle. Who joins all three sides by one chain wins.

yacht:
Roll the dice up to rolls_per_turn times, keeping what you like, then choose a category to
score, each once. Dice are counted from 0. The highest total wins.
"""


def _read(table: str) -> dict[str, str]:
    """Paragraphs, whose first line is the name of the game."""
    paragraphs = (each.strip().partition(":\n") for each in table.split("\n\n"))
    return {name: rules for name, _, rules in paragraphs}


WORDS = _read(_TABLE)
