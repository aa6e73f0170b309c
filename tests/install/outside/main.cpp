// A program that uses the installed package: aligns the alpha and beta chains of human haemoglobin and prints the
// score.
#include <cstdio>
#include <speedwell/apps/alignment/alignment.hpp>

int main() {
  using namespace speedwell::alignment;
  SequenceSet chains(Alphabet::protein);
  chains.add("HBA_HUMAN", "",
             "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNA"
             "LSALSDLHAHKLRVDPVNFKLLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR");
  chains.add("HBB_HUMAN", "",
             "MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLD"
             "NLKGTFATLSELHCDKLHVDPENFRLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH");
  const Alignment best = align(chains.codes(0), chains.codes(1), Scoring{named_matrix("BLOSUM62"), 11, 1});
  std::printf("%d\n", best.score);
}
